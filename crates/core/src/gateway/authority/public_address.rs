//! The scheme and host of the edge in the URLs of a client.

use std::fmt;
use std::net::SocketAddr;

use url::Url;

use super::host::Host;

/// The scheme of URLs that lead to the edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// `http`.
    Http,
    /// `https`.
    Https,
}

/// The scheme, host and local address of a request, as far as the edge trusts them.
#[derive(Debug, Clone, Copy)]
pub struct Addressed<'a> {
    /// The scheme the client used.
    pub scheme: Scheme,
    /// The host the client named.
    pub host: Option<&'a Host>,
    /// The edge's own address on the connection.
    pub local: Option<SocketAddr>,
}

/// Scheme and host, as URLs in responses contain them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicAddress {
    /// The scheme of public URLs.
    pub scheme: Scheme,
    /// The host, with its port unless it is the scheme's default port.
    pub host: Host,
}

// === impl Scheme ===

impl Scheme {
    /// The scheme as URLs spell it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    /// The default port, which URLs omit.
    pub(super) const fn usual_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

// === impl PublicAddress ===

impl PublicAddress {
    /// The configured address, else the trusted parts of the request.
    pub fn of(configured: Option<&Url>, request: Addressed<'_>) -> Self {
        configured
            .and_then(Self::from_url)
            .unwrap_or_else(|| Self::from_request(request))
    }

    /// The address that is configured; none for a URL without a host.
    pub fn from_url(url: &Url) -> Option<Self> {
        let scheme = match url.scheme() {
            "https" => Scheme::Https,
            _ => Scheme::Http,
        };
        let host = Host::of_url(url)?;
        Some(Self { scheme, host })
    }

    /// The address from a request. Only `localhost` or an IP address is reflected; a Host that a stranger
    /// chose never is (T-21).
    fn from_request(request: Addressed<'_>) -> Self {
        let named = request.host.filter(|host| host.is_localhost_or_address());
        let local = || request.local.map(Host::of_socket);
        Self {
            scheme: request.scheme,
            host: named.cloned().or_else(local).unwrap_or_else(Host::localhost),
        }
    }
}

impl fmt::Display for PublicAddress {
    /// Scheme and authority, without a trailing slash.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}://{}", self.scheme.as_str(), self.host)
    }
}

#[cfg(test)]
mod tests {
    use http::Request;
    use http::header::HOST;

    use super::*;

    fn public(configured: Option<&Url>, host: &str) -> PublicAddress {
        let (head, ()) = Request::get("/")
            .header(HOST, host)
            .body(())
            .unwrap()
            .into_parts();
        let named = Host::named_by(&head).unwrap();
        let request = Addressed {
            scheme: Scheme::Http,
            host: named.as_ref(),
            local: Some("192.0.2.1:8787".parse().unwrap()),
        };
        PublicAddress::of(configured, request)
    }

    #[test]
    fn a_configured_address_wins() {
        let url = Url::parse("https://events.example:8443").unwrap();
        let found = public(Some(&url), "evil.example");
        assert_eq!(found.to_string(), "https://events.example:8443");
    }

    #[test]
    fn only_harmless_hosts_are_reflected() {
        for (host, expected) in [
            ("localhost:8787", "localhost:8787"),
            ("127.0.0.1:8787", "127.0.0.1:8787"),
            ("[::1]:8787", "[::1]:8787"),
            ("198.51.100.7", "198.51.100.7"),
            ("evil.example", "192.0.2.1:8787"),
            ("localhost.evil.example", "192.0.2.1:8787"),
        ] {
            assert_eq!(public(None, host).host.to_string(), expected, "{host}");
        }
    }
}
