//! The host that a request names (RFC 9112 3.2, RFC 9113 8.3.1).

use std::fmt;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use http::Version;
use http::header::HOST;
use http::request::Parts;
use http::uri::Authority;
use url::Url;

use crate::errors;
use crate::framing::Breach;

/// A valid host with an optional port, without user information.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// The name or address; an IPv6 address is in brackets.
    pub(in crate::gateway) name: String,
    /// The port; `None` if the request does not name one.
    pub(in crate::gateway) port: Option<u16>,
}

// === impl Host ===

impl Host {
    /// The only host that a request names; `None` only if HTTP/1.0 allows that.
    ///
    /// # Errors
    /// [`errors::BAD_HOST`] if the request does not name exactly one valid host.
    pub fn named_by(head: &Parts) -> Result<Option<Self>, Breach> {
        let mut fields = head.headers.get_all(HOST).iter();
        let field = fields.next().map(|value| Self::read(value.as_bytes()));
        if field == Some(None) || fields.next().is_some() {
            return Err(errors::BAD_HOST);
        }
        match (head.version, field.flatten()) {
            (Version::HTTP_2, field) => named_over_http2(head, field).map(Some),
            // The authority of an absolute-form target is ignored.
            (_, Some(host)) => Ok(Some(host)),
            (Version::HTTP_10 | Version::HTTP_09, None) => Ok(None),
            (_, None) => Err(errors::BAD_HOST),
        }
    }

    /// A name, an IPv4 address or a bracketed IPv6 address, with a port in digits or none, and without user information.
    fn read(text: &[u8]) -> Option<Self> {
        let end = match text.strip_prefix(b"[") {
            Some(inner) => inner.iter().position(|&byte| byte == b']')? + 2,
            None => text.iter().take_while(|&&byte| is_of_name(byte)).count(),
        };
        let (name, port) = text.split_at(end);
        let (name, port) = (std::str::from_utf8(name).ok()?, std::str::from_utf8(port).ok()?);
        let inner = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
        let is_sound = inner.map_or(!name.is_empty(), |inner| inner.parse::<Ipv6Addr>().is_ok());
        let digits = port
            .strip_prefix(':')
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        let port = match digits {
            Some(digits) => Some(digits.parse().ok()?),
            None if port.is_empty() => None,
            None => return None,
        };
        let name = name.to_owned();
        is_sound.then_some(Self { name, port })
    }

    /// The host of a URL, with its port unless it is the scheme's default port.
    pub(super) fn of_url(url: &Url) -> Option<Self> {
        Some(Self {
            name: url.host_str()?.to_owned(),
            port: url.port(),
        })
    }

    /// The host of a socket's address.
    pub(super) fn of_socket(address: SocketAddr) -> Self {
        let name = match address.ip() {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        };
        Self {
            name,
            port: Some(address.port()),
        }
    }

    pub(super) fn localhost() -> Self {
        Self {
            name: "localhost".to_owned(),
            port: None,
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        self.name.eq_ignore_ascii_case(&other.name) && self.port == other.port
    }

    /// Returns true if the host is `localhost` or an address.
    pub(super) fn is_localhost_or_address(&self) -> bool {
        let bare = self.name.trim_start_matches('[').trim_end_matches(']');
        self.name.eq_ignore_ascii_case("localhost") || bare.parse::<IpAddr>().is_ok()
    }
}

impl fmt::Display for Host {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.name)?;
        match self.port {
            Some(port) => write!(formatter, ":{port}"),
            None => Ok(()),
        }
    }
}

/// The host over HTTP/2. `:authority` and Host must agree if both are present (RFC 9113 8.3.1).
fn named_over_http2(head: &Parts, field: Option<Host>) -> Result<Host, Breach> {
    let authority = head.uri.authority().map(Authority::as_str);
    let pseudo = authority.map(|authority| Host::read(authority.as_bytes()).ok_or(errors::BAD_HOST));
    match (pseudo.transpose()?, field) {
        (Some(pseudo), Some(field)) if !pseudo.is_same(&field) => Err(errors::BAD_HOST),
        (Some(host), _) | (None, Some(host)) => Ok(host),
        (None, None) => Err(errors::BAD_HOST),
    }
}

/// True for the bytes of names and IPv4 addresses.
const fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_')
}

#[cfg(test)]
mod tests {
    use http::Request;
    use http::uri::Port;
    use proptest::prelude::*;

    use super::*;

    /// The same by the library's parser of authorities, which also accepts user information, other names and `+80` as a
    /// port.
    fn by_library(text: &[u8]) -> Option<Host> {
        let authority = Authority::try_from(text).ok()?;
        let (host, text) = (authority.host(), authority.as_str());
        let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        let is_plain = match inner {
            Some(address) => address.parse::<Ipv6Addr>().is_ok(),
            None => host.bytes().all(is_of_name),
        };
        let is_digits = |port: Port<&str>| port.as_str().bytes().all(|byte| byte.is_ascii_digit());
        let has_plain_port = text.len() == host.len() || authority.port().is_some_and(is_digits);
        let is_host = is_plain && has_plain_port && !host.is_empty() && !text.contains('@');
        is_host.then(|| Host {
            name: host.to_owned(),
            port: authority.port_u16(),
        })
    }

    proptest! {
        #[test]
        fn hosts_are_read_as_the_library_reads_them(text in r"[a-zA-Z0-9._-]{0,8}(:[0-9+]{0,6})?|\[[0-9a-f:.]{0,9}\](:[0-9]{0,3})?|[a-z0-9:@%\[\]., +-]{0,16}|\PC{0,8}") {
            prop_assert_eq!(Host::read(text.as_bytes()), by_library(text.as_bytes()));
        }
    }

    #[test]
    fn usual_hosts_are_read() {
        for text in ["events.example", "Events.example:8080", "127.0.0.1:80", "a_b"] {
            assert!(Host::read(text.as_bytes()).is_some(), "{text}");
        }
    }

    fn named(request: http::request::Builder) -> Result<Option<String>, Breach> {
        let (head, ()) = request.body(()).unwrap().into_parts();
        Host::named_by(&head).map(|host| host.map(|host| host.to_string()))
    }

    #[test]
    fn keeps_name_and_port() {
        for text in [
            "events.example",
            "Events.example:8080",
            "[::1]:80",
            "[::1]",
            "127.0.0.1",
        ] {
            let request = Request::get("/").header(HOST, text);
            assert_eq!(named(request), Ok(Some(text.to_owned())));
        }
        assert_eq!(named(Request::get("/").version(Version::HTTP_10)), Ok(None));
        assert_eq!(named(Request::get("/")), Err(errors::BAD_HOST));
    }

    #[test]
    fn the_target_names_the_host_over_http2_only() {
        let request = || Request::get("http://a.example/");
        let over_http2 = named(request().version(Version::HTTP_2));
        assert_eq!(over_http2, Ok(Some("a.example".to_owned())));
        assert_eq!(
            named(request().header(HOST, "b.example")),
            Ok(Some("b.example".to_owned()))
        );
        assert_eq!(named(request().version(Version::HTTP_10)), Ok(None));
    }
}
