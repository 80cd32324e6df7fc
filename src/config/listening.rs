//! Where clients connect, and what protects them there.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr as _;

use super::key::{Form, Refusal};

pub(super) static LISTEN: Form = Form::new(
    "address",
    "an address with a port, like \"127.0.0.1:8787\" or \"[::1]:8787\", the same for TLS, like \"tls:0.0.0.0:8443\", \
     or a socket, like \"unix:/run/edge.sock\"",
);
pub(super) static FILE: Form = Form::new(
    "file",
    "the path of a file, like \"/etc/calendar-edge/certificate.pem\"",
);

/// A place to listen at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListenAddress {
    /// A TCP address.
    Tcp(SocketAddr),
    /// A TCP address where clients speak TLS, `tls:0.0.0.0:8443`.
    Tls(SocketAddr),
    /// A Unix socket, `unix:/run/…`.
    Unix(PathBuf),
}

/// Whether connections over TCP begin with a PROXY header, versions 1 and 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProxyProtocol {
    /// Clients connect themselves.
    #[default]
    Off,
    /// Every connection is one of a trusted proxy, and begins with the client's address.
    Required,
}

/// What the edge shows clients that speak TLS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsSettings {
    /// A PEM file: the certificate, then its intermediates.
    pub certificate: PathBuf,
    /// A PEM file: the private key of the certificate.
    pub key: PathBuf,
}

// === impl ListenAddress ===

impl ListenAddress {
    /// The TCP address, with TLS or without; none for a Unix socket.
    pub const fn tcp(&self) -> Option<SocketAddr> {
        match self {
            Self::Tcp(address) | Self::Tls(address) => Some(*address),
            Self::Unix(_) => None,
        }
    }

    /// Whether clients speak TLS there.
    pub const fn speaks_tls(&self) -> bool {
        matches!(self, Self::Tls(_))
    }
}

impl fmt::Display for ListenAddress {
    /// As it is written in the configuration.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(out),
            Self::Tls(address) => write!(out, "tls:{address}"),
            Self::Unix(path) => write!(out, "unix:{}", path.display()),
        }
    }
}

/// Reads a place to listen at.
pub(super) fn listen(text: &str) -> Result<ListenAddress, Refusal> {
    if let Some(path) = text.strip_prefix("unix:") {
        let whole = path.starts_with('/') && !path.contains('\0');
        let socket = whole.then(|| ListenAddress::Unix(PathBuf::from(path)));
        return socket.ok_or(Refusal::Malformed);
    }
    let (address, kind): (_, fn(SocketAddr) -> ListenAddress) = match text.strip_prefix("tls:") {
        Some(address) => (address, ListenAddress::Tls),
        None => (text, ListenAddress::Tcp),
    };
    SocketAddr::from_str(address)
        .map(kind)
        .map_err(|_| Refusal::Malformed)
}

/// Reads the path of a file, absolute or below the directory the program was started in.
pub(super) fn file(text: &str) -> Result<PathBuf, Refusal> {
    if text.is_empty() || text.contains('\0') {
        return Err(Refusal::Malformed);
    }
    Ok(PathBuf::from(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_places_to_listen_at() {
        for text in ["127.0.0.1:0", "[::1]:8787", "tls:[::]:443", "unix:/run/edge.sock"] {
            assert!(listen(text).is_ok(), "{text}");
        }
        for text in [
            "localhost:80",
            "127.0.0.1",
            ":80",
            "unix:",
            "unix:run/x",
            "1.2.3.4:99999",
            "tls:unix:/run/x",
            "tls:",
            "TLS:127.0.0.1:443",
        ] {
            assert!(listen(text).is_err(), "{text}");
        }
    }
}
