//! Binding and accepting, over TCP and Unix sockets alike.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};

use super::notsent_lowat::bound_unsent;
use super::peer::{Peer, Transport};
use super::tls::TlsAcceptor;
use crate::settings::ListenAddress;

/// A listening socket.
#[derive(Debug)]
pub(crate) struct Listener {
    socket: Listening,
    address: BoundAddress,
}

#[derive(Debug)]
enum Listening {
    Tcp(TcpListener),
    Tls(TcpListener, TlsAcceptor),
    Unix(UnixListener),
}

/// A connection that has just come in.
#[derive(Debug)]
pub(super) enum Arriving {
    /// In clear text.
    Tcp(TcpStream, Peer),
    /// A handshake comes before HTTP.
    Tls(TcpStream, Peer, TlsAcceptor),
    /// From this machine.
    Unix(UnixStream),
}

/// Where a listener really listens: port 0 has become a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BoundAddress {
    /// A TCP address.
    Tcp(SocketAddr),
    /// A TCP address where clients speak TLS.
    Tls(SocketAddr),
    /// The path of a Unix socket.
    Unix(PathBuf),
}

/// Why a listener could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// The TCP address is taken, foreign or forbidden.
    #[error("cannot listen at {address}")]
    Tcp {
        /// The address of the setting.
        address: SocketAddr,
        /// What the system said.
        #[source]
        cause: io::Error,
    },
    /// TLS is asked for at this address, and there is no certificate.
    #[error("cannot listen at tls:{0} without a certificate")]
    NoCertificate(SocketAddr),
    /// The path is taken by something alive, or cannot be written.
    #[error("cannot listen at unix:{}", path.display())]
    Unix {
        /// The path of the setting.
        path: PathBuf,
        /// What the system said.
        #[source]
        cause: io::Error,
    },
}

// === impl Listener ===

impl Listener {
    /// Opens the socket; a Unix socket that nobody listens at any more is replaced.
    pub(crate) async fn bind(address: &ListenAddress, tls: Option<&TlsAcceptor>) -> Result<Self, BindError> {
        match address {
            ListenAddress::Tcp(address) => {
                let (socket, address) = bind_tcp(*address).await?;
                Ok(Self {
                    socket: Listening::Tcp(socket),
                    address: BoundAddress::Tcp(address),
                })
            }
            ListenAddress::Tls(address) => {
                let acceptor = tls.cloned().ok_or(BindError::NoCertificate(*address))?;
                let (socket, address) = bind_tcp(*address).await?;
                Ok(Self {
                    socket: Listening::Tls(socket, acceptor),
                    address: BoundAddress::Tls(address),
                })
            }
            ListenAddress::Unix(path) => Self::bind_unix(path).await,
        }
    }

    async fn bind_unix(path: &Path) -> Result<Self, BindError> {
        remove_dead_socket(path).await;
        let socket = UnixListener::bind(path).map_err(|cause| BindError::Unix {
            path: path.to_owned(),
            cause,
        })?;
        Ok(Self {
            socket: Listening::Unix(socket),
            address: BoundAddress::Unix(path.to_owned()),
        })
    }

    /// Where it really listens.
    pub(crate) fn address(&self) -> &BoundAddress {
        &self.address
    }

    /// The next connection.
    pub(super) async fn accept(&self) -> io::Result<Arriving> {
        match &self.socket {
            Listening::Tcp(listener) => {
                let (stream, peer) = accept_tcp(listener, Transport::Clear).await?;
                Ok(Arriving::Tcp(stream, peer))
            }
            Listening::Tls(listener, acceptor) => {
                let (stream, peer) = accept_tcp(listener, Transport::Tls).await?;
                Ok(Arriving::Tls(stream, peer, acceptor.clone()))
            }
            Listening::Unix(listener) => {
                let (stream, _) = listener.accept().await?;
                Ok(Arriving::Unix(stream))
            }
        }
    }
}

async fn bind_tcp(address: SocketAddr) -> Result<(TcpListener, SocketAddr), BindError> {
    let failed = |cause| BindError::Tcp { address, cause };
    let socket = TcpListener::bind(address).await.map_err(failed)?;
    bound_unsent(&socket);
    let address = socket.local_addr().map_err(failed)?;
    Ok((socket, address))
}

async fn accept_tcp(listener: &TcpListener, transport: Transport) -> io::Result<(TcpStream, Peer)> {
    let (stream, remote) = listener.accept().await?;
    // Answers are small and written once; waiting to fill a segment only delays them.
    stream.set_nodelay(true)?;
    let peer = Peer {
        remote: Some(remote),
        local: stream.local_addr().ok(),
        transport,
    };
    Ok((stream, peer))
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let BoundAddress::Unix(path) = &self.address {
            // Leaving the file would only make the next start look for a live owner.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Removes a socket file whose owner is gone; anything else stays and makes the bind fail.
async fn remove_dead_socket(path: &Path) {
    let refused = tokio::net::UnixStream::connect(path)
        .await
        .is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused);
    if refused && is_socket(path) {
        let _ = std::fs::remove_file(path);
    }
}

fn is_socket(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.file_type().is_socket())
}

// === impl Arriving ===

impl Arriving {
    /// Who is at the other end.
    pub(super) fn peer(&self) -> Peer {
        match self {
            Self::Tcp(_, peer) | Self::Tls(_, peer, _) => *peer,
            Self::Unix(_) => Peer::default(),
        }
    }
}

// === impl BoundAddress ===

impl BoundAddress {
    /// The TCP address, with TLS or without; none for a Unix socket.
    pub fn tcp(&self) -> Option<SocketAddr> {
        match self {
            Self::Tcp(address) | Self::Tls(address) => Some(*address),
            Self::Unix(_) => None,
        }
    }
}

impl fmt::Display for BoundAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Tls(address) => write!(f, "tls:{address}"),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}
