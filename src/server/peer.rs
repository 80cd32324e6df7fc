//! The addresses and the protection of a connection, from the kernel or from a trusted proxy.

use std::net::{IpAddr, SocketAddr};

use ipnet::IpNet;

/// The two ends of a connection; a Unix socket has no addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Peer {
    /// The client's address and port.
    pub(crate) remote: Option<SocketAddr>,
    /// The edge's own address and port.
    pub(crate) local: Option<SocketAddr>,
    /// True if the edge terminates TLS; else a proxy in front may have done so.
    pub(crate) is_tls: bool,
}

impl Peer {
    /// The client's address; an IPv4-mapped IPv6 address becomes an IPv4 address.
    pub(crate) fn address(&self) -> Option<IpAddr> {
        self.remote.map(|remote| remote.ip().to_canonical())
    }

    /// True if the client's address is in one of these networks.
    pub(crate) fn is_in(&self, networks: &[IpNet]) -> bool {
        self.address()
            .is_some_and(|address| networks.iter().any(|network| network.contains(&address)))
    }
}
