//! Under which scheme and host a client knows the edge.

use std::net::IpAddr;

use http::header::HOST;
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, HeaderValue};
use url::Url;

use crate::backend::Forwarded;
use crate::layers::{ClientAddress, RequestId};
use crate::server::Peer;

/// Scheme and host, as URLs in answers name them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PublicAddress {
    /// `http` or `https`.
    pub(super) scheme: &'static str,
    /// The host, with its port where it is not the scheme's own.
    pub(super) host: String,
}

impl PublicAddress {
    /// The configured address, else what may be believed of the request.
    pub(super) fn of(configured: Option<&Url>, head: &Parts) -> Self {
        configured
            .and_then(Self::from_url)
            .unwrap_or_else(|| Self::from_request(head))
    }

    fn from_url(url: &Url) -> Option<Self> {
        let scheme = if url.scheme() == "https" { "https" } else { "http" };
        let host = url.host_str()?;
        let host = match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        };
        Some(Self { scheme, host })
    }

    /// A Host of a stranger's choice is never reflected: only a loopback name or an address is (T-21).
    fn from_request(head: &Parts) -> Self {
        let client = head
            .extensions
            .get::<ClientAddress>()
            .copied()
            .unwrap_or_default();
        let peer = head.extensions.get::<Peer>().copied().unwrap_or_default();
        let scheme = client
            .through_trusted_proxy
            .then(|| forwarded_scheme(&head.headers))
            .flatten()
            .unwrap_or(peer.scheme());
        let host = named_host(head)
            .filter(|authority| is_harmless(authority.host()))
            .map(|authority| authority.as_str().to_owned())
            .or_else(|| peer.local.map(|local| local.to_string()))
            .unwrap_or_else(|| "localhost".to_owned());
        Self { scheme, host }
    }

    /// Scheme and authority, without a trailing slash.
    pub(super) fn base(&self) -> String {
        format!("{}://{}", self.scheme, self.host)
    }

    /// What the origin is told about a request to this address.
    pub(super) fn forwarded(&self, head: &Parts) -> Forwarded {
        let client = head
            .extensions
            .get::<ClientAddress>()
            .copied()
            .unwrap_or_default();
        Forwarded {
            client: client.address,
            scheme: self.scheme,
            host: HeaderValue::try_from(&self.host).unwrap_or_else(|_| HeaderValue::from_static("localhost")),
            request_id: head.extensions.get::<RequestId>().map(|id| id.value().clone()),
        }
    }
}

fn named_host(head: &Parts) -> Option<Authority> {
    let field = head.headers.get(HOST).map(HeaderValue::as_bytes);
    let pseudo = head
        .uri
        .authority()
        .map(|authority| authority.as_str().as_bytes());
    Authority::try_from(field.or(pseudo)?).ok()
}

fn is_harmless(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || bare.parse::<IpAddr>().is_ok()
}

fn forwarded_scheme(headers: &HeaderMap) -> Option<&'static str> {
    match headers.get("x-forwarded-proto")?.as_bytes() {
        b"https" => Some("https"),
        b"http" => Some("http"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;
    use crate::server::Transport;

    fn head(host: &str) -> Parts {
        let (mut head, ()) = Request::get("/")
            .header(HOST, host)
            .body(())
            .unwrap()
            .into_parts();
        head.extensions.insert(Peer {
            remote: None,
            local: Some("192.0.2.1:8787".parse().unwrap()),
            ..Peer::default()
        });
        head
    }

    #[test]
    fn a_configured_address_wins() {
        let url = Url::parse("https://events.example:8443").unwrap();
        let found = PublicAddress::of(Some(&url), &head("evil.example"));
        assert_eq!(
            (found.scheme, found.host.as_str()),
            ("https", "events.example:8443")
        );
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
            assert_eq!(PublicAddress::of(None, &head(host)).host, expected, "{host}");
        }
    }

    #[test]
    fn tls_that_ends_here_names_the_scheme_unless_a_proxy_does() {
        let mut head = head("localhost");
        head.extensions.insert(Peer {
            transport: Transport::Tls,
            ..Peer::default()
        });
        assert_eq!(PublicAddress::of(None, &head).scheme, "https");
        head.extensions.insert(ClientAddress {
            address: None,
            through_trusted_proxy: true,
        });
        assert_eq!(PublicAddress::of(None, &head).scheme, "https");
        head.headers
            .insert("x-forwarded-proto", HeaderValue::from_static("http"));
        assert_eq!(PublicAddress::of(None, &head).scheme, "http");
    }

    #[test]
    fn only_a_trusted_proxy_names_the_scheme() {
        let mut head = head("localhost");
        head.headers
            .insert("x-forwarded-proto", HeaderValue::from_static("https"));
        assert_eq!(PublicAddress::of(None, &head).scheme, "http");
        head.extensions.insert(ClientAddress {
            address: None,
            through_trusted_proxy: true,
        });
        assert_eq!(PublicAddress::of(None, &head).scheme, "https");
    }
}
