//! The forms of texts for listeners and files.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr as _;

use super::text_form::{TextError, TypedSyntax};
use crate::settings::ListenAddress;

pub(crate) const LISTEN: TypedSyntax<ListenAddress> = TypedSyntax::new(
    "address",
    "an IP address with a port, a Unix socket or a socket of systemd; \"tls:\" may stand before addresses and systemd",
    &[
        "127.0.0.1:8787",
        "[::1]:8787",
        "tls:0.0.0.0:8443",
        "unix:/run/edge.sock",
        "systemd:edge",
    ],
    listen,
);
pub(crate) const DIRECTORY: TypedSyntax<PathBuf> = TypedSyntax::new(
    "directory",
    "the path of a directory",
    &["/var/lib/calendar-edge"],
    file,
);

/// Reads the address of a listener.
fn listen(text: &str) -> Result<ListenAddress, TextError> {
    if let Some(path) = text.strip_prefix("unix:") {
        let whole = path.starts_with('/') && !path.contains('\0');
        let socket = whole.then(|| ListenAddress::Unix(PathBuf::from(path)));
        return socket.ok_or(TextError::Malformed);
    }
    let address = |place: &str| SocketAddr::from_str(place).ok();
    let listener = match text.strip_prefix("tls:") {
        Some(place) => match place.strip_prefix("systemd:") {
            Some(name) => socket_name(name).map(ListenAddress::SystemdTls),
            None => address(place).map(ListenAddress::Tls),
        },
        None => match text.strip_prefix("systemd:") {
            Some(name) => socket_name(name).map(ListenAddress::Systemd),
            None => address(text).map(ListenAddress::Tcp),
        },
    };
    listener.ok_or(TextError::Malformed)
}

/// A name that systemd allows: 1 to 255 printable ASCII characters without a colon (systemd.socket(5)).
fn socket_name(name: &str) -> Option<String> {
    let is_allowed = |byte: u8| byte.is_ascii_graphic() && byte != b':';
    let fits = (1..=255).contains(&name.len()) && name.bytes().all(is_allowed);
    fits.then(|| name.to_owned())
}

/// The path of a file, with an example.
pub(crate) const fn file_like(examples: &'static [&'static str]) -> TypedSyntax<PathBuf> {
    TypedSyntax::new("file", "the path of a file", examples, file)
}

/// Reads the path of a file, absolute or relative to the working directory.
fn file(text: &str) -> Result<PathBuf, TextError> {
    if text.is_empty() || text.contains('\0') {
        return Err(TextError::Malformed);
    }
    Ok(PathBuf::from(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_places_to_listen_at() {
        for text in [
            "127.0.0.1:0",
            "[::1]:8787",
            "tls:[::]:443",
            "unix:/run/edge.sock",
            "systemd:edge",
            "systemd:calendar-edge.socket",
            "tls:systemd:https",
        ] {
            assert_eq!(listen(text).expect(text).to_string(), text);
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
            "systemd:",
            "systemd:two:names",
            "systemd:a b",
            "systemd:tls:edge",
        ] {
            assert!(listen(text).is_err(), "{text}");
        }
    }
}
