//! Binding and accepting, over TCP and Unix sockets alike.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use tokio::net::{TcpListener, UnixListener};

use super::peer::Peer;
use super::stream::Socket;
use crate::config::ListenAddress;

/// A listening socket.
#[derive(Debug)]
pub(crate) struct Listener {
    socket: Listening,
    address: BoundAddress,
}

#[derive(Debug)]
enum Listening {
    Tcp(TcpListener),
    Unix(UnixListener),
}

/// Where a listener really listens: port 0 has become a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BoundAddress {
    /// A TCP address.
    Tcp(SocketAddr),
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
    pub(crate) async fn bind(address: &ListenAddress) -> Result<Self, BindError> {
        match address {
            ListenAddress::Tcp(address) => Self::bind_tcp(*address).await,
            ListenAddress::Unix(path) => Self::bind_unix(path).await,
        }
    }

    async fn bind_tcp(address: SocketAddr) -> Result<Self, BindError> {
        let failed = |cause| BindError::Tcp { address, cause };
        let socket = TcpListener::bind(address).await.map_err(failed)?;
        let address = socket.local_addr().map(BoundAddress::Tcp).map_err(failed)?;
        Ok(Self {
            socket: Listening::Tcp(socket),
            address,
        })
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
    pub(crate) async fn accept(&self) -> io::Result<(Socket, Peer)> {
        match &self.socket {
            Listening::Tcp(listener) => {
                let (stream, remote) = listener.accept().await?;
                // Answers are small and written once; waiting to fill a segment only delays them.
                stream.set_nodelay(true)?;
                let peer = Peer {
                    remote: Some(remote),
                    local: stream.local_addr().ok(),
                };
                Ok((Socket::Tcp(stream), peer))
            }
            Listening::Unix(listener) => {
                let (stream, _) = listener.accept().await?;
                Ok((Socket::Unix(stream), Peer::default()))
            }
        }
    }
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

// === impl BoundAddress ===

impl BoundAddress {
    /// The TCP address; none for a Unix socket.
    pub fn tcp(&self) -> Option<SocketAddr> {
        match self {
            Self::Tcp(address) => Some(*address),
            Self::Unix(_) => None,
        }
    }
}

impl fmt::Display for BoundAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}
