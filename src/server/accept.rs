//! The steps before HTTP on a connection: the PROXY header, the permit for the client's address, the TLS
//! handshake.

use std::io;

use ipnet::IpNet;

use super::listener::Arriving;
use super::peer::Peer;
use super::per_address::AddressPermit;
use super::proxy_header::{HeaderFault, read_header};
use super::stream::Socket;
use crate::telemetry::ConnectionEnd;

/// The reason why a connection is closed before HTTP begins.
#[derive(Debug, thiserror::Error)]
pub(super) enum AcceptFault {
    /// The peer is not in the networks that may send a PROXY header.
    #[error("only trusted proxies may connect")]
    Stranger,
    /// A trusted proxy sent no PROXY header, or a malformed one.
    #[error(transparent)]
    Header(#[from] HeaderFault),
    /// The client's address holds too many connections (T-75).
    #[error("the address holds too many connections")]
    TooManyConnections,
    /// The TLS handshake failed.
    #[error(transparent)]
    Handshake(#[from] io::Error),
}

/// Prepares a connection for HTTP, which has a permit of the address that it comes from. The caller sets the deadline.
pub(super) async fn open(
    mut arrival: Arriving,
    proxies: Option<&[IpNet]>,
    mut address_permit: AddressPermit,
) -> Result<(Socket, Peer, AddressPermit), AcceptFault> {
    if let Some(proxies) = proxies {
        read_proxy_header(&mut arrival, proxies).await?;
        // From now on it counts as the client's.
        address_permit = address_permit
            .of_client(arrival.peer())
            .ok_or(AcceptFault::TooManyConnections)?;
    }
    let (socket, peer) = match arrival {
        Arriving::Tcp(stream, peer, None) => (Socket::Tcp(stream), peer),
        Arriving::Tcp(stream, peer, Some(acceptor)) => {
            let stream = acceptor.accept(stream).await?;
            (Socket::Tls(Box::new(stream)), peer)
        }
        Arriving::Unix(stream) => (Socket::Unix(stream), Peer::default()),
    };
    Ok((socket, peer, address_permit))
}

/// Replaces the proxy's addresses by the client's, as the PROXY header gives them.
async fn read_proxy_header(arrival: &mut Arriving, proxies: &[IpNet]) -> Result<(), AcceptFault> {
    let Arriving::Tcp(stream, peer, _) = arrival else {
        // Only processes of this machine can connect to the Unix socket, so no header is needed.
        return Ok(());
    };
    if !peer.is_in(proxies) {
        return Err(AcceptFault::Stranger);
    }
    if let Some(addresses) = read_header(stream).await? {
        peer.remote = Some(addresses.source);
        peer.local = Some(addresses.destination);
    }
    Ok(())
}

// === impl AcceptFault ===

impl AcceptFault {
    /// The reason why the connection ends, for its count.
    pub(super) const fn end(&self) -> ConnectionEnd {
        match self {
            Self::Stranger => ConnectionEnd::Stranger,
            Self::Header(_) => ConnectionEnd::ProxyHeader,
            Self::TooManyConnections => ConnectionEnd::AddressLimit,
            Self::Handshake(_) => ConnectionEnd::TlsHandshake,
        }
    }
}
