//! Who is at the other end of a connection, as the kernel says.

use std::net::{IpAddr, SocketAddr};

/// The two ends of a connection; a Unix socket has no addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Peer {
    /// Where the client speaks from.
    pub(crate) remote: Option<SocketAddr>,
    /// The edge's own end.
    pub(crate) local: Option<SocketAddr>,
}

impl Peer {
    /// The client's address, with an IPv4 address in IPv6 clothes made plain.
    pub(crate) fn address(&self) -> Option<IpAddr> {
        self.remote.map(|remote| remote.ip().to_canonical())
    }
}
