//! Who is at the other end of a connection, as the kernel or a trusted proxy says, and how it speaks.

use std::net::{IpAddr, SocketAddr};

use ipnet::IpNet;

/// The two ends of a connection; a Unix socket has no addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Peer {
    /// Where the client speaks from.
    pub(crate) remote: Option<SocketAddr>,
    /// The edge's own end.
    pub(crate) local: Option<SocketAddr>,
    /// What protects the bytes in between.
    pub(crate) transport: Transport,
}

/// What protects the bytes of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Transport {
    /// Nothing that the edge knows of; a proxy in front may have ended TLS.
    #[default]
    Clear,
    /// TLS, which ends here.
    Tls,
}

impl Peer {
    /// The client's address, with an IPv4 address in IPv6 clothes made plain.
    pub(crate) fn address(&self) -> Option<IpAddr> {
        self.remote.map(|remote| remote.ip().to_canonical())
    }

    /// Whether the client's address is in one of these networks.
    pub(crate) fn is_in(&self, networks: &[IpNet]) -> bool {
        self.address()
            .is_some_and(|address| networks.iter().any(|network| network.contains(&address)))
    }
}
