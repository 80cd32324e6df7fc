//! Binding and accepting, for TCP and Unix sockets alike.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::runtime::Handle;

use super::inherited::{InheritedSockets, PassedSocket};
use super::notsent_lowat::bound_unsent;
use super::peer::Peer;
use super::tls::TlsAcceptor;
use calendar_edge_core::settings::ListenAddress;

/// A listening socket.
#[derive(Debug)]
pub(crate) struct Listener {
    socket: Listening,
    /// The address it is bound to: port 0 is replaced by the real port, and the name of a passed socket by its address.
    pub(crate) address: ListenAddress,
    _file: Option<SocketFile>,
}

/// The socket file that the edge made, removed when dropped: if it stayed, the next start would have to test whether
/// its owner is alive.
#[derive(Debug)]
struct SocketFile(PathBuf);

#[derive(Debug)]
enum Listening {
    /// In clear text unless there is an acceptor.
    Tcp(TcpListener, Option<TlsAcceptor>),
    Unix(UnixListener),
}

/// A connection that was just accepted.
#[derive(Debug)]
pub(super) enum Arriving {
    /// TCP; with an acceptor a TLS handshake is still to come.
    Tcp(TcpStream, Peer, Option<TlsAcceptor>),
    /// A Unix socket, from this machine.
    Unix(UnixStream),
}

/// The reason why a listener could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// The TCP address is in use, not local, or forbidden.
    #[error("cannot listen at {address}{}", tcp_remedy(*address, cause))]
    Tcp {
        /// The address from the settings.
        address: SocketAddr,
        /// The error of the operating system.
        #[source]
        cause: io::Error,
    },
    /// The settings demand TLS at this address, but no certificate is set.
    #[error("cannot listen at {0} without a certificate")]
    NoCertificate(ListenAddress),
    /// The service manager passed no socket of this name.
    #[error("cannot listen at {0}: the service manager passed no socket of this name")]
    NotPassed(ListenAddress),
    /// The service manager passed a socket that cannot be used like this.
    #[error("cannot listen at {address}, a socket from the service manager")]
    Passed {
        /// The name from the settings.
        address: ListenAddress,
        /// The error of the operating system.
        #[source]
        cause: io::Error,
    },
    /// The events of the listener cannot be waited for: the kernel has no memory for them.
    #[error("cannot wait for connections at {address}")]
    Events {
        /// The address the listener is bound to.
        address: ListenAddress,
        /// The error of the operating system.
        #[source]
        cause: io::Error,
    },
    /// Another process listens at the path, or the path cannot be written.
    #[error("cannot listen at unix:{}{}", path.display(), unix_remedy(path))]
    Unix {
        /// The path from the settings.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        cause: io::Error,
    },
}

// === impl BindError ===

impl BindError {
    /// True if the configuration demands a thing that the process does not have.
    pub(crate) const fn is_about_configuration(&self) -> bool {
        match self {
            Self::NoCertificate(_) | Self::NotPassed(_) | Self::Passed { .. } => true,
            Self::Tcp { .. } | Self::Events { .. } | Self::Unix { .. } => false,
        }
    }
}

/// The step that lets an edge listen at a TCP address, between its name and the system's reason.
fn tcp_remedy(address: SocketAddr, cause: &io::Error) -> String {
    match cause.kind() {
        io::ErrorKind::AddrInUse => {
            let port = address.port();
            format!(
                ", where another process listens, which `ss -ltnp 'sport = :{port}'` names: end that, or set another port"
            )
        }
        io::ErrorKind::AddrNotAvailable => ", which is no address of this machine".to_owned(),
        io::ErrorKind::PermissionDenied => {
            ": ports below 1024 need a socket of systemd or the capability CAP_NET_BIND_SERVICE".to_owned()
        }
        _ => String::new(),
    }
}

/// The step that lets an edge listen at a path.
fn unix_remedy(path: &Path) -> &'static str {
    if path.is_dir() {
        ", which is a directory: name a file in it"
    } else if path.exists() {
        ", where another process listens: end that, or set another path"
    } else {
        ""
    }
}

// === impl Listener ===

impl Listener {
    /// Opens the socket, or takes all that the service manager passed under the name. A Unix socket file without a
    /// listening process is replaced.
    pub(crate) async fn open(
        address: &ListenAddress,
        tls: Option<&TlsAcceptor>,
        inherited: &mut InheritedSockets,
    ) -> Result<Vec<Self>, BindError> {
        let tls = match (address.has_tls(), tls) {
            (false, _) => None,
            (true, Some(acceptor)) => Some(acceptor),
            (true, None) => return Err(BindError::NoCertificate(address.clone())),
        };
        let opened = match address {
            ListenAddress::Tcp(address) | ListenAddress::Tls(address) => {
                Self::bind_tcp(*address, tls).await?
            }
            ListenAddress::Unix(path) => Self::bind_unix(path).await?,
            ListenAddress::Systemd(name) | ListenAddress::SystemdTls(name) => {
                return Self::take(address, name, tls, inherited);
            }
        };
        Ok(vec![opened])
    }

    /// The passed sockets of a name; at least one.
    fn take(
        address: &ListenAddress,
        name: &str,
        tls: Option<&TlsAcceptor>,
        inherited: &mut InheritedSockets,
    ) -> Result<Vec<Self>, BindError> {
        let sockets = inherited.take(name);
        if sockets.is_empty() {
            return Err(BindError::NotPassed(address.clone()));
        }
        let adopt = |socket| {
            Self::adopt(socket, tls).map_err(|cause| BindError::Passed {
                address: address.clone(),
                cause,
            })
        };
        sockets.into_iter().map(adopt).collect()
    }

    fn adopt(socket: PassedSocket, tls: Option<&TlsAcceptor>) -> io::Result<Self> {
        match socket {
            PassedSocket::Tcp(socket) => Self::tcp(TcpListener::from_std(socket)?, tls),
            PassedSocket::Unix(_) if tls.is_some() => Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "a Unix socket cannot speak TLS",
            )),
            PassedSocket::Unix(socket) => {
                let socket = UnixListener::from_std(socket)?;
                let path = socket.local_addr()?.as_pathname().map(Path::to_owned);
                Ok(Self {
                    socket: Listening::Unix(socket),
                    // A socket without a file has an abstract name.
                    address: ListenAddress::Unix(path.unwrap_or_default()),
                    _file: None,
                })
            }
        }
    }

    async fn bind_tcp(address: SocketAddr, tls: Option<&TlsAcceptor>) -> Result<Self, BindError> {
        let socket = TcpListener::bind(address).await;
        let opened = socket.and_then(|socket| Self::tcp(socket, tls));
        opened.map_err(|cause| BindError::Tcp { address, cause })
    }

    fn tcp(socket: TcpListener, tls: Option<&TlsAcceptor>) -> io::Result<Self> {
        bound_unsent(&socket);
        let address = socket.local_addr()?;
        Ok(Self {
            socket: Listening::Tcp(socket, tls.cloned()),
            address: if tls.is_some() {
                ListenAddress::Tls(address)
            } else {
                ListenAddress::Tcp(address)
            },
            _file: None,
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
            address: ListenAddress::Unix(path.to_owned()),
            _file: Some(SocketFile(path.to_owned())),
        })
    }

    /// The same listener, whose events another runtime waits for.
    ///
    /// # Errors
    ///
    /// When the kernel has no memory for them.
    pub(crate) fn moved_to(self, runtime: &Handle) -> Result<Self, BindError> {
        match self.socket.moved_to(runtime) {
            Ok(socket) => Ok(Self { socket, ..self }),
            Err(cause) => Err(BindError::Events {
                address: self.address,
                cause,
            }),
        }
    }

    /// Accepts the next connection.
    pub(super) async fn accept(&self) -> io::Result<Arriving> {
        match &self.socket {
            Listening::Tcp(listener, acceptor) => {
                let (stream, remote) = listener.accept().await?;
                // Responses are small and written once; waiting to fill a segment would only delay them.
                stream.set_nodelay(true)?;
                let peer = Peer {
                    remote: Some(remote),
                    local: stream.local_addr().ok(),
                    is_tls: acceptor.is_some(),
                };
                Ok(Arriving::Tcp(stream, peer, acceptor.clone()))
            }
            Listening::Unix(listener) => {
                let (stream, _) = listener.accept().await?;
                Ok(Arriving::Unix(stream))
            }
        }
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

// === impl Listening ===

impl Listening {
    fn moved_to(self, runtime: &Handle) -> io::Result<Self> {
        let _context = runtime.enter();
        Ok(match self {
            Self::Tcp(listener, acceptor) => {
                Self::Tcp(TcpListener::from_std(listener.into_std()?)?, acceptor)
            }
            Self::Unix(listener) => Self::Unix(UnixListener::from_std(listener.into_std()?)?),
        })
    }
}

/// Removes the file of a socket at which no process listens. Any other file stays, and the bind fails.
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
    /// The other end of the connection.
    pub(super) fn peer(&self) -> Peer {
        match self {
            Self::Tcp(_, peer, _) => *peer,
            Self::Unix(_) => Peer::default(),
        }
    }

    /// The same connection, whose events another runtime waits for.
    ///
    /// # Errors
    ///
    /// When the kernel has no memory for them.
    pub(super) fn moved_to(self, runtime: &Handle) -> io::Result<Self> {
        let _context = runtime.enter();
        Ok(match self {
            Self::Tcp(stream, peer, acceptor) => {
                Self::Tcp(TcpStream::from_std(stream.into_std()?)?, peer, acceptor)
            }
            Self::Unix(stream) => Self::Unix(UnixStream::from_std(stream.into_std()?)?),
        })
    }
}
