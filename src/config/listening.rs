//! The forms of texts for listeners and files.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr as _;

use super::key::{TextError, TextForm};
use crate::settings::ListenAddress;

pub(super) static LISTEN: TextForm = TextForm::new(
    "address",
    "an IP address with a port, the same with \"tls:\" before it, or a Unix socket",
    &[
        "127.0.0.1:8787",
        "[::1]:8787",
        "tls:0.0.0.0:8443",
        "unix:/run/edge.sock",
    ],
);
pub(super) static FILE: TextForm = TextForm::new(
    "file",
    "the path of a file",
    &["/etc/calendar-edge/certificate.pem"],
);
pub(super) static INDEX_FILE: TextForm = TextForm::new(
    "file",
    "the path of a file",
    &["/var/lib/calendar-edge/index.json"],
);
pub(super) static DIRECTORY: TextForm = TextForm::new(
    "directory",
    "the path of a directory",
    &["/var/lib/calendar-edge"],
);
pub(super) static SECRET_FILE: TextForm =
    TextForm::new("file", "the path of a file", &["/etc/calendar-edge/secret"]);

/// Reads the address of a listener.
pub(super) fn listen(text: &str) -> Result<ListenAddress, TextError> {
    if let Some(path) = text.strip_prefix("unix:") {
        let whole = path.starts_with('/') && !path.contains('\0');
        let socket = whole.then(|| ListenAddress::Unix(PathBuf::from(path)));
        return socket.ok_or(TextError::Malformed);
    }
    let (address, kind): (_, fn(SocketAddr) -> ListenAddress) = match text.strip_prefix("tls:") {
        Some(address) => (address, ListenAddress::Tls),
        None => (text, ListenAddress::Tcp),
    };
    SocketAddr::from_str(address)
        .map(kind)
        .map_err(|_| TextError::Malformed)
}

/// Reads the path of a file, absolute or relative to the working directory.
pub(super) fn file(text: &str) -> Result<PathBuf, TextError> {
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
