//! Listeners: where clients and operators connect.

use super::AdminToken;
use super::keys::group::settings_group;
use super::keys::listening_form::{LISTEN, file_like};
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
    /// Sockets that the service manager opened and passed under this name, `systemd:edge`: `FileDescriptorName=` in the
    /// socket unit, or else the name of that unit.
    Systemd(String),
    /// The same with TLS, `tls:systemd:edge`.
    SystemdTls(String),
}

/// The words for connections that begin without a header of the PROXY protocol (version 1 or 2), and for those that begin
/// with one: then only trusted proxies connect, and the header names the client.
pub(super) const PROXY_PROTOCOLS: [(&str, bool); 2] = [("off", false), ("required", true)];

settings_group! {
    /// Certificate and key of `tls:` listeners, which accept TLS 1.2 or newer with HTTP/2 or HTTP/1.1. The edge
    /// checks both files every second and reloads them after a change. If certificate and key do not match, it keeps
    /// the old pair.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct TlsSettings {
        /// PEM file with the certificate, then its intermediates.
        pub certificate: PathBuf = PathBuf::new() => text(file_like(&["/etc/calendar-edge/certificate.pem"])),
            "required by a `tls:` listener";
        /// PEM file with its private key, which only the user of the edge should be able to read.
        pub key: PathBuf = PathBuf::new() => text(file_like(&["/etc/calendar-edge/certificate.pem"])),
            "required by a `tls:` listener";
    }
}

settings_group! {
    /// The listener for operators, see [operating.md](../guides/operating.md).
    #[derive(Debug, Clone)]
    pub struct AdminSettings {
        /// Address that operators connect to. Bind it to loopback or a private network.
        pub listen: Option<ListenAddress> = None => text(LISTEN), "off";
        /// File with a token of at least 32 bytes. Operators on other machines then need `Authorization: Bearer …` for
        /// everything but `/livez` and `/readyz`, and have the rights of operators on this machine. Without it they see
        /// nothing of the configuration and of single requests, and change nothing.
        pub token_file: Option<PathBuf> = None => text(file_like(&["/etc/calendar-edge/token"])), "none";
        /// The token in that file.
        pub token: Option<AdminToken> = None;
    }
}

// === impl ListenAddress ===

impl ListenAddress {
    /// The TCP address, with TLS or without; none for a Unix socket, and where systemd has the address.
    pub const fn tcp(&self) -> Option<SocketAddr> {
        match self {
            Self::Tcp(address) | Self::Tls(address) => Some(*address),
            Self::Unix(_) | Self::Systemd(_) | Self::SystemdTls(_) => None,
        }
    }

    /// The name of the sockets that systemd passes; none for a listener that the edge opens.
    pub fn passed(&self) -> Option<&str> {
        match self {
            Self::Systemd(name) | Self::SystemdTls(name) => Some(name),
            Self::Tcp(_) | Self::Tls(_) | Self::Unix(_) => None,
        }
    }

    /// Returns true if the listener expects TLS.
    pub const fn has_tls(&self) -> bool {
        matches!(self, Self::Tls(_) | Self::SystemdTls(_))
    }
}

impl fmt::Display for ListenAddress {
    /// The address as the configuration writes it.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(out),
            Self::Tls(address) => write!(out, "tls:{address}"),
            Self::Unix(path) => write!(out, "unix:{}", path.display()),
            Self::Systemd(name) => write!(out, "systemd:{name}"),
            Self::SystemdTls(name) => write!(out, "tls:systemd:{name}"),
        }
    }
}
