//! Ports that no other test gets.
//!
//! Tests run side by side: a port that was merely freed is soon another test's, or that of a connection. A bound
//! socket keeps the system from giving its port away. Listeners can still be bound to it by its number, as all
//! sockets here share their address.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Mutex;

use tokio::net::TcpSocket;

/// Ports at which nothing listens, until the tests end.
static CLOSED: Mutex<Vec<Port>> = Mutex::new(Vec::new());

/// A bound port, which no other program gets while this exists.
#[derive(Debug)]
pub(crate) struct Port(TcpSocket);

/// A local address at which nothing listens until the tests end, unless one does so by its number.
pub(crate) fn closed_port() -> SocketAddr {
    Port::bound(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).close()
}

impl Port {
    pub(crate) fn bound(address: SocketAddr) -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.set_reuseaddr(true).expect("an option of every socket");
        socket.bind(address).expect("a free port");
        Self(socket)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.0.local_addr().expect("a bound socket")
    }

    /// Nothing listens here any more.
    pub(crate) fn close(self) -> SocketAddr {
        let address = self.address();
        CLOSED.lock().expect("no test panics while holding it").push(self);
        address
    }
}
