//! The strict profile's rule about absolute targets: they must name this edge (T-13).

use http::Version;
use http::request::Parts;
use http::uri::Authority;
use url::Url;

use super::host::Host;
use super::public_address::{Addressed, PublicAddress, Scheme};

/// Returns true if a target is a bare path, or names a scheme and authority of the edge for clients: its public
/// address, or one of its hosts.
///
/// HTTP/2 has no bare paths. There the authority is the Host, which has been checked.
pub fn names_us(public_url: Option<&Url>, hosts: &[String], head: &Parts, request: Addressed<'_>) -> bool {
    let (Some(scheme), Some(target)) = (head.uri.scheme_str(), head.uri.authority()) else {
        return true;
    };
    if head.version == Version::HTTP_2 {
        return true;
    }
    let ours = PublicAddress::of(public_url, request);
    let is_public = is_same(ours.scheme, target, &ours.host);
    let is_host = request
        .host
        .is_some_and(|host| is_same(ours.scheme, target, host));
    let is_listed = || hosts.iter().any(|host| host.eq_ignore_ascii_case(target.host()));
    let is_ours = match public_url {
        Some(_) => is_public || (is_host && is_listed()),
        None => is_host || (is_public && request.host.is_none()),
    };
    is_ours && scheme.eq_ignore_ascii_case(ours.scheme.as_str())
}

/// Returns true if a target's authority is this host, with or without the scheme's default port.
fn is_same(scheme: Scheme, target: &Authority, host: &Host) -> bool {
    let usual = scheme.usual_port();
    target.host().eq_ignore_ascii_case(&host.name)
        && target.port_u16().unwrap_or(usual) == host.port.unwrap_or(usual)
}

#[cfg(test)]
mod tests {
    use crate::settings::Settings;
    use http::header::HOST;
    use http::{HeaderValue, Request};

    use super::*;

    fn is_ours(public_url: Option<&str>, target: &str, host: &'static str) -> bool {
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
        names_us(settings.public_url.as_ref(), &settings.hosts, &head, request)
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
            assert_eq!(is_ours(public, target, host), expected, "{target} {host}");
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
            assert_eq!(is_ours(None, target, host), expected, "{target} {host}");
        }
    }
}
