//! The strict profile's rule about absolute targets: they must name this edge (T-13).

use http::Version;
use http::request::Parts;
use http::uri::Authority;
use url::Url;

use super::host::Host;
use super::public_address::{Addressed, PublicAddress, Scheme};

/// The absolute targets that name this edge.
#[derive(Debug)]
pub struct StrictAuthority {
    public_url: Option<Url>,
    hosts: Vec<String>,
}

// === impl StrictAuthority ===

impl StrictAuthority {
    /// The rule for this public address and these hosts.
    pub const fn new(public_url: Option<Url>, hosts: Vec<String>) -> Self {
        Self { public_url, hosts }
    }

    /// Returns true if a target is a bare path, or names a scheme and authority by which clients know the
    /// edge.
    ///
    /// HTTP/2 has no bare paths. There the authority is the Host, which has been checked.
    pub fn names_us(&self, head: &Parts, request: Addressed<'_>) -> bool {
        let (Some(scheme), Some(target)) = (head.uri.scheme_str(), head.uri.authority()) else {
            return true;
        };
        if head.version == Version::HTTP_2 {
            return true;
        }
        let ours = PublicAddress::of(self.public_url.as_ref(), request);
        scheme.eq_ignore_ascii_case(ours.scheme().as_str()) && self.is_ours(target, &ours, request.host)
    }

    fn is_ours(&self, target: &Authority, ours: &PublicAddress, named: Option<&Host>) -> bool {
        let scheme = ours.scheme();
        let is_public = is_same(scheme, target, ours.host());
        let is_host = named.is_some_and(|host| is_same(scheme, target, host));
        match &self.public_url {
            Some(_) => is_public || (is_host && self.lists(target.host())),
            None => is_host || (is_public && named.is_none()),
        }
    }

    fn lists(&self, name: &str) -> bool {
        self.hosts.iter().any(|host| host.eq_ignore_ascii_case(name))
    }
}

/// Returns true if a target's authority is this host, with or without the scheme's default port.
fn is_same(scheme: Scheme, target: &Authority, host: &Host) -> bool {
    let usual = scheme.usual_port();
    target.host().eq_ignore_ascii_case(host.name())
        && target.port_u16().unwrap_or(usual) == host.port().unwrap_or(usual)
}

#[cfg(test)]
mod tests {
    use crate::settings::Settings;
    use http::header::HOST;
    use http::{HeaderValue, Request};

    use super::*;

    fn names_us(public_url: Option<&str>, target: &str, host: &'static str) -> bool {
        let mut settings = Settings::for_origin("http://10.0.0.5/wp-json".parse().unwrap());
        settings.public_url = public_url.map(|url| url.parse().unwrap());
        settings.hosts = vec!["events.example".to_owned(), "other.example".to_owned()];
        let (head, ()) = Request::get(target)
            .header(HOST, HeaderValue::from_static(host))
            .body(())
            .unwrap()
            .into_parts();
        let named = Host::named_by(&head).unwrap();
        let request = Addressed {
            scheme: Scheme::Http,
            host: named.as_ref(),
            local: None,
        };
        StrictAuthority::new(settings.public_url, settings.hosts).names_us(&head, request)
    }

    #[test]
    fn absolute_targets_name_the_public_address() {
        let public = Some("https://events.example");
        for (target, host, expected) in [
            ("/a", "events.example", true),
            ("https://events.example/a", "events.example", true),
            ("HTTPS://EVENTS.example:443/a", "events.example", true),
            ("https://other.example/a", "other.example", true),
            ("https://other.example/a", "events.example", false),
            ("http://events.example/a", "events.example", false),
            ("https://events.example:8443/a", "events.example", false),
            ("https://evil.example/a", "events.example", false),
            ("https://evil.example/a", "evil.example", false),
        ] {
            assert_eq!(names_us(public, target, host), expected, "{target} {host}");
        }
    }

    #[test]
    fn without_a_public_address_they_name_the_host() {
        for (target, host, expected) in [
            ("http://events.example:80/a", "events.example", true),
            ("http://127.0.0.1:8787/a", "127.0.0.1:8787", true),
            ("http://127.0.0.1:8787/a", "127.0.0.1:8788", false),
            ("https://events.example/a", "events.example", false),
            ("http://evil.example/a", "events.example", false),
        ] {
            assert_eq!(names_us(None, target, host), expected, "{target} {host}");
        }
    }
}
