//! What comes before HTTP on a connection: a proxy's proxy_header_policy, a place among its address's, the handshake.

use std::io;
use std::sync::Arc;

use ipnet::IpNet;

use super::listener::Arriving;
use super::peer::Peer;
use super::per_address::{AddressPermit, PerAddressLimit};
use super::proxy_header::{HeaderFault, read_announcement};
use super::stream::Socket;

/// Whether connections over TCP begin with a PROXY header.
///
/// It is one or the other: who guesses lets clients choose their address.
#[derive(Debug, Clone, Default)]
pub(crate) enum ProxyHeaderPolicy {
    /// Clients connect themselves.
    #[default]
    Never,
    /// These networks announce clients; nobody else may connect.
    Always(Arc<[IpNet]>),
}

/// A connection on which HTTP begins.
pub(super) struct AcceptedConnection {
    pub(super) socket: Socket,
    pub(super) peer: Peer,
    pub(super) address_permit: AddressPermit,
}

/// Why HTTP does not begin.
#[derive(Debug, thiserror::Error)]
pub(super) enum AcceptFault {
    /// A stranger connected where only trusted proxies may.
    #[error("only trusted proxies may connect")]
    Stranger,
    /// A trusted proxy proxy_header nobody, or in a way of its own.
    #[error(transparent)]
    Header(#[from] HeaderFault),
    /// The address holds too many connections.
    #[error("the address holds too many connections")]
    Crowded,
    /// The handshake failed.
    #[error(transparent)]
    Handshake(#[from] io::Error),
}

/// Brings a connection to the point where HTTP begins; it has no deadline of its own.
pub(super) async fn open(
    mut arrival: Arriving,
    proxy_header_policy: &ProxyHeaderPolicy,
    per_address: &PerAddressLimit,
) -> Result<AcceptedConnection, AcceptFault> {
    if let ProxyHeaderPolicy::Always(proxies) = proxy_header_policy {
        announce(&mut arrival, proxies).await?;
    }
    let address_permit = per_address.enter(arrival.peer()).ok_or(AcceptFault::Crowded)?;
    let (socket, peer) = match arrival {
        Arriving::Tcp(stream, peer) => (Socket::Tcp(stream), peer),
        Arriving::Tls(stream, peer, acceptor) => {
            let stream = acceptor.accept(stream).await?;
            (Socket::Tls(Box::new(stream)), peer)
        }
        Arriving::Unix(stream) => (Socket::Unix(stream), Peer::default()),
    };
    Ok(AcceptedConnection {
        socket,
        peer,
        address_permit,
    })
}

/// Puts the client's addresses in the place of the proxy's.
async fn announce(arrival: &mut Arriving, proxies: &[IpNet]) -> Result<(), AcceptFault> {
    let (Arriving::Tcp(stream, peer) | Arriving::Tls(stream, peer, _)) = arrival else {
        // Who may write to the socket's file is this machine's own.
        return Ok(());
    };
    if !peer.is_in(proxies) {
        return Err(AcceptFault::Stranger);
    }
    if let Some(proxy_header) = read_announcement(stream).await? {
        peer.remote = Some(proxy_header.source);
        peer.local = Some(proxy_header.destination);
    }
    Ok(())
}

// === impl ProxyHeaderPolicy ===

impl ProxyHeaderPolicy {
    /// Takes headers from these networks, and connections from no other.
    pub(crate) fn by(proxies: &[IpNet]) -> Self {
        Self::Always(proxies.into())
    }
}
