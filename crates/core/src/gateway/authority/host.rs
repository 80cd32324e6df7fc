//! The host that a request names (RFC 9112 3.2, RFC 9113 8.3.1).

use std::fmt;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use http::Version;
use http::header::HOST;
use http::request::Parts;
use http::uri::{Authority, Port};
use url::Url;

/// A valid host with an optional port, without user information.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    name: String,
    port: Option<u16>,
}

/// A request that does not name exactly one valid host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not exactly one valid host")]
pub struct BadHost;

// === impl Host ===

impl Host {
    /// The only host that a request names; `None` only if HTTP/1.0 allows that.
    ///
    /// # Errors
    /// [`BadHost`] if the request does not name exactly one valid host.
    pub fn named_by(head: &Parts) -> Result<Option<Self>, BadHost> {
        let mut fields = head.headers.get_all(HOST).iter();
        if head.version != Version::HTTP_2
            && let (Some(only), None) = (fields.next(), fields.next())
            && let Some(host) = usual(only.as_bytes())
        {
            return Ok(Some(host));
        }
        let mut fields = head.headers.get_all(HOST).iter();
        let field = fields.next().map(|value| parse(value.as_bytes())).transpose()?;
        if fields.next().is_some() {
            return Err(BadHost);
        }
        let named = match (head.version, field) {
            (Version::HTTP_2, field) => Some(named_over_http2(head, field)?),
            // The authority of an absolute-form target is ignored.
            (_, Some(host)) => Some(host),
            (Version::HTTP_10 | Version::HTTP_09, None) => None,
            (_, None) => return Err(BadHost),
        };
        Ok(named.as_ref().map(Self::from_authority))
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

    fn from_authority(authority: &Authority) -> Self {
        Self {
            name: authority.host().to_owned(),
            port: authority.port_u16(),
        }
    }

    /// The name or address; an IPv6 address is in brackets.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The port; `None` if the request does not name one.
    pub(super) const fn port(&self) -> Option<u16> {
        self.port
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
fn named_over_http2(head: &Parts, field: Option<Authority>) -> Result<Authority, BadHost> {
    let pseudo = head
        .uri
        .authority()
        .map(|authority| parse(authority.as_str().as_bytes()))
        .transpose()?;
    match (pseudo, field) {
        (Some(pseudo), Some(field)) if pseudo != field => Err(BadHost),
        (Some(host), _) | (None, Some(host)) => Ok(host),
        (None, None) => Err(BadHost),
    }
}

/// The host as nearly all clients spell it: a name or an IPv4 address, with a port in digits or none. It is what
/// [`parse`] makes of the same text, at a fraction of the cost; `None` leaves the text to it.
fn usual(text: &[u8]) -> Option<Host> {
    let end = text.iter().position(|&byte| !is_of_name(byte));
    let (name, port) = text.split_at(end.unwrap_or(text.len()));
    let port = match port {
        [] => None,
        [b':', digits @ ..] if digits.iter().all(u8::is_ascii_digit) => {
            Some(std::str::from_utf8(digits).ok()?.parse().ok()?)
        }
        _ => return None,
    };
    let name = std::str::from_utf8(name).ok().filter(|name| !name.is_empty())?;
    Some(Host {
        name: name.to_owned(),
        port,
    })
}

/// True for the bytes of names and IPv4 addresses.
const fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_')
}

/// A host with an optional port, without user information.
fn parse(text: &[u8]) -> Result<Authority, BadHost> {
    Authority::try_from(text)
        .ok()
        .filter(|authority| !authority.host().is_empty() && !authority.as_str().contains('@'))
        .filter(|authority| has_plain_name(authority.host()) && has_plain_port(authority))
        .ok_or(BadHost)
}

/// A name, an IPv4 address or a bracketed IPv6 address.
fn has_plain_name(host: &str) -> bool {
    let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    if let Some(address) = inner {
        return address.parse::<Ipv6Addr>().is_ok();
    }
    host.bytes().all(is_of_name)
}

/// Returns true if there is no colon, or a colon with a port in digits after it.
fn has_plain_port(authority: &Authority) -> bool {
    // The library also accepts `+80` as a port.
    let is_plain = |port: Port<&str>| port.as_str().bytes().all(|byte| byte.is_ascii_digit());
    authority.as_str().len() == authority.host().len() || authority.port().is_some_and(is_plain)
}

#[cfg(test)]
mod tests {
    use http::Request;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_usual_spelling_means_the_same(text in r"[a-zA-Z0-9._-]{0,8}(:[0-9+]{0,6})?|[a-z0-9:@%\[\]., +-]{0,16}|\PC{0,8}") {
            if let Some(host) = usual(text.as_bytes()) {
                let parsed = parse(text.as_bytes()).map(|authority| Host::from_authority(&authority));
                prop_assert_eq!(parsed, Ok(host));
            }
        }
    }

    #[test]
    fn usual_hosts_are_told() {
        for text in ["events.example", "Events.example:8080", "127.0.0.1:80", "a_b"] {
            assert!(usual(text.as_bytes()).is_some(), "{text}");
        }
    }

    fn named(request: http::request::Builder) -> Result<Option<String>, BadHost> {
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
        assert_eq!(named(Request::get("/")), Err(BadHost));
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
