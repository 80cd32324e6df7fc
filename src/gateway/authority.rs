//! What the strict profile asks of a head beyond its path: our own authority, and no cookies.

use std::borrow::Cow;

use http::header::{COOKIE, HOST, HeaderName};
use http::request::Parts;
use http::uri::Authority;
use http::{StatusCode, Version};
use url::Url;

use super::public_address::PublicAddress;
use crate::problem::Refusal;
use crate::settings::Settings;

/// Which absolute targets name this edge (T-13).
#[derive(Debug)]
pub(super) struct StrictAuthority {
    public_url: Option<Url>,
    hosts: Vec<String>,
}

/// The refusal of an absolute target that names somebody else.
pub(super) fn strange_authority() -> Refusal {
    Refusal::edge(
        StatusCode::MISDIRECTED_REQUEST,
        "edge_misdirected",
        "This host is not served here.",
    )
}

// === impl StrictAuthority ===

impl StrictAuthority {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            public_url: settings.public_url.clone(),
            hosts: settings.hosts.clone(),
        }
    }

    /// Whether a target is a bare path, or names scheme and authority under which clients know the edge.
    ///
    /// HTTP/2 knows no bare paths; there the authority is the Host, which has been looked at.
    pub(super) fn names_us(&self, head: &Parts) -> bool {
        let (Some(scheme), Some(authority)) = (head.uri.scheme_str(), head.uri.authority()) else {
            return true;
        };
        if head.version == Version::HTTP_2 {
            return true;
        }
        let ours = PublicAddress::of(self.public_url.as_ref(), head);
        let is_public = is_same(scheme, authority, &ours.host);
        let is_host = named_host(head).is_some_and(|host| is_same(scheme, authority, host));
        let is_named = match &self.public_url {
            Some(_) => is_public || (is_host && self.lists(authority.host())),
            None => is_host || (is_public && !head.headers.contains_key(HOST)),
        };
        scheme.eq_ignore_ascii_case(ours.scheme) && is_named
    }

    fn lists(&self, name: &str) -> bool {
        self.hosts.iter().any(|host| host.eq_ignore_ascii_case(name))
    }
}

fn named_host(head: &Parts) -> Option<&str> {
    head.headers.get(HOST).and_then(|host| host.to_str().ok())
}

/// Whether two authorities are one, the scheme's own port written or not.
fn is_same(scheme: &str, one: &Authority, other: &str) -> bool {
    let usual = if scheme.eq_ignore_ascii_case("https") {
        443
    } else {
        80
    };
    let port = |authority: &Authority| authority.port_u16().unwrap_or(usual);
    Authority::try_from(other)
        .is_ok_and(|other| one.host().eq_ignore_ascii_case(other.host()) && port(one) == port(&other))
}

/// The same head without what only WordPress's own pages need: cookies and their nonce (T-20).
pub(super) fn without_cookies(head: &Parts) -> Cow<'_, Parts> {
    const LEFT_BEHIND: [HeaderName; 2] = [COOKIE, HeaderName::from_static("x-wp-nonce")];
    if !LEFT_BEHIND.iter().any(|name| head.headers.contains_key(name)) {
        return Cow::Borrowed(head);
    }
    let mut head = head.clone();
    for name in &LEFT_BEHIND {
        head.headers.remove(name);
    }
    Cow::Owned(head)
}

#[cfg(test)]
mod tests {
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
        StrictAuthority::new(&settings).names_us(&head)
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

    #[test]
    fn cookies_and_nonces_are_left_behind() {
        let (head, ()) = Request::get("/")
            .header(COOKIE, "wordpress_logged_in_1=a")
            .header("x-wp-nonce", "b")
            .header("authorization", "Basic YTpi")
            .body(())
            .unwrap()
            .into_parts();
        let names: Vec<String> = without_cookies(&head)
            .headers
            .keys()
            .map(ToString::to_string)
            .collect();
        assert_eq!(names, ["authorization"]);
    }
}
