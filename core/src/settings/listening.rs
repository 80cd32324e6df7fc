//! Listeners: where clients and operators connect.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

/// The address of a listener.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListenAddress {
    /// A TCP address.
    Tcp(SocketAddr),
    /// A TCP address that expects TLS, `tls:0.0.0.0:8443`.
    Tls(SocketAddr),
    /// A Unix socket, `unix:/run/…`.
    Unix(PathBuf),
}

/// Use of the PROXY protocol, version 1 or 2, at the beginning of TCP connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProxyProtocol {
    /// Connections do not begin with a PROXY protocol header.
    #[default]
    Off,
    /// Only trusted proxies connect, and each connection begins with the address of its client.
    Required,
}

/// Certificate and key of TLS listeners.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsSettings {
    /// PEM file with the certificate, then its intermediates.
    pub certificate: PathBuf,
    /// PEM file with the private key of the certificate.
    pub key: PathBuf,
}

/// The listener for operators.
#[derive(Debug, Clone)]
pub struct AdminSettings {
    /// The address of the listener.
    pub listen: ListenAddress,
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

    /// Returns true if the listener expects TLS.
    pub const fn speaks_tls(&self) -> bool {
        matches!(self, Self::Tls(_))
    }
}

impl fmt::Display for ListenAddress {
    /// The address as the configuration writes it.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(out),
            Self::Tls(address) => write!(out, "tls:{address}"),
            Self::Unix(path) => write!(out, "unix:{}", path.display()),
        }
    }
}
