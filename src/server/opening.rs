//! What comes before HTTP on a connection: the TLS handshake.

use std::io;

use super::listener::Arrival;
use super::peer::Peer;
use super::stream::Socket;

/// Brings a connection to the point where HTTP begins; it has no deadline of its own.
pub(super) async fn open(arrival: Arrival) -> io::Result<(Socket, Peer)> {
    match arrival {
        Arrival::Clear(socket, peer) => Ok((socket, peer)),
        Arrival::Tls(stream, peer, acceptor) => {
            let stream = acceptor.accept(stream).await?;
            Ok((Socket::Tls(Box::new(stream)), peer))
        }
    }
}
