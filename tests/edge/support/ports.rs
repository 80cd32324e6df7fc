//! Ports without a listener, which no other test gets.
//!
//! Tests run side by side: a port that was merely freed is soon another test's. These stay bound
//! until the tests end, so that the system gives them to nobody who asks for any port. They can
//! still be listened at by their number, as they and every listener here share their address.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Mutex;

use tokio::net::TcpSocket;

static HELD: Mutex<Vec<TcpSocket>> = Mutex::new(Vec::new());

/// A local address at which nothing listens.
pub(crate) fn closed_port() -> SocketAddr {
    hold(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))
}

/// Keeps this address, at which nothing listens any more, from every other test.
pub(crate) fn hold(address: SocketAddr) -> SocketAddr {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_reuseaddr(true).expect("an option of every socket");
    socket.bind(address).expect("a free port");
    let address = socket.local_addr().expect("a bound socket");
    HELD.lock().expect("no test panics while holding it").push(socket);
    address
}
