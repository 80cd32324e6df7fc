//! Where clients connect, and what protects them there.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

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
