//! Exactly one valid Host (RFC 9112 3.2), and only names the edge answers for.

use http::Version;
use http::header::HOST;
use http::request::Parts;
use http::uri::{Authority, Port};

use super::gate::HeadCheck;
use crate::problem::{EdgeError, Refusal};

/// Refuses requests without one clear host, and hosts that are not served here.
#[derive(Debug)]
pub(super) struct HostCheck {
    hosts: Vec<String>,
}

impl HostCheck {
    pub(super) fn new(hosts: &[String]) -> Self {
        Self {
            hosts: hosts.iter().map(|host| host.to_ascii_lowercase()).collect(),
        }
    }

    fn serves(&self, authority: &Authority) -> bool {
        let name = authority.host();
        self.hosts
            .iter()
            .any(|host| host.eq_ignore_ascii_case(name) || host.eq_ignore_ascii_case(authority.as_str()))
    }
}

impl HeadCheck for HostCheck {
    fn check(&self, head: &Parts) -> Result<(), Refusal> {
        let Some(host) = named_host(head)? else {
            return Ok(());
        };
        if self.hosts.is_empty() || self.serves(&host) {
            return Ok(());
        }
        Err(Refusal::edge(EdgeError::Misdirected))
    }
}

/// The one host a request names; none only where HTTP/1.0 allows that.
fn named_host(head: &Parts) -> Result<Option<Authority>, Refusal> {
    let mut fields = head.headers.get_all(HOST).iter();
    let field = fields.next().map(|value| parse(value.as_bytes())).transpose()?;
    if fields.next().is_some() {
        return Err(bad_host());
    }
    match (head.version, field) {
        (Version::HTTP_2, field) => named_over_http2(head, field).map(Some),
        // Of an absolute-form target the path is judged and the authority ignored.
        (_, Some(host)) => Ok(Some(host)),
        (Version::HTTP_10 | Version::HTTP_09, None) => Ok(None),
        (_, None) => Err(bad_host()),
    }
}

/// `:authority` and Host must agree when both are there (RFC 9113 8.3.1).
fn named_over_http2(head: &Parts, field: Option<Authority>) -> Result<Authority, Refusal> {
    let pseudo = head
        .uri
        .authority()
        .map(|authority| parse(authority.as_str().as_bytes()))
        .transpose()?;
    match (pseudo, field) {
        (Some(pseudo), Some(field)) if pseudo != field => Err(bad_host()),
        (Some(host), _) | (None, Some(host)) => Ok(host),
        (None, None) => Err(bad_host()),
    }
}

/// A host with an optional port, without user information.
fn parse(text: &[u8]) -> Result<Authority, Refusal> {
    Authority::try_from(text)
        .ok()
        .filter(|authority| !authority.host().is_empty() && !authority.as_str().contains('@'))
        .filter(|authority| has_plain_name(authority.host()) && has_plain_port(authority))
        .ok_or_else(bad_host)
}

/// A name, an IPv4 address or a bracketed IPv6 address.
fn has_plain_name(host: &str) -> bool {
    let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    if let Some(address) = inner {
        return address.parse::<std::net::Ipv6Addr>().is_ok();
    }
    host.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_'))
}

/// No colon at all, or one with a port in digits behind it.
fn has_plain_port(authority: &Authority) -> bool {
    // The library takes `+80` for a port, too.
    let is_plain = |port: Port<&str>| port.as_str().bytes().all(|byte| byte.is_ascii_digit());
    authority.as_str().len() == authority.host().len() || authority.port().is_some_and(is_plain)
}

fn bad_host() -> Refusal {
    Refusal::edge(EdgeError::BadHost)
}

#[cfg(test)]
mod tests {
    use http::{Request, StatusCode};

    use super::*;

    fn verdict(hosts: &[&str], request: http::request::Builder) -> Option<StatusCode> {
        let hosts: Vec<String> = hosts.iter().map(|&host| host.to_owned()).collect();
        let (head, ()) = request.body(()).unwrap().into_parts();
        HostCheck::new(&hosts)
            .check(&head)
            .err()
            .map(|refusal| refusal.status())
    }

    #[test]
    fn wants_one_valid_host() {
        let bad = Some(StatusCode::BAD_REQUEST);
        for (host, expected) in [
            ("events.example", None),
            ("events.example:8080", None),
            ("127.0.0.1:80", None),
            ("[::1]:80", None),
            ("[::1]", None),
            ("", bad),
            ("a:+80", bad),
            ("a b", bad),
            ("a/b", bad),
            ("user@events.example", bad),
            ("events.example:", bad),
            ("events.example:99999", bad),
            ("events.example:80:90", bad),
            ("[::zz]", bad),
            ("a,b", bad),
            ("ev%65nts.example", bad),
        ] {
            assert_eq!(
                verdict(&[], Request::get("/").header(HOST, host)),
                expected,
                "{host}"
            );
        }
    }

    #[test]
    fn refuses_none_and_two() {
        let bad = Some(StatusCode::BAD_REQUEST);
        assert_eq!(verdict(&[], Request::get("/")), bad);
        assert_eq!(
            verdict(&[], Request::get("/").header(HOST, "a").header(HOST, "a")),
            bad
        );
        assert_eq!(verdict(&[], Request::get("/").version(Version::HTTP_10)), None);
    }

    #[test]
    fn http2_authority_and_host_must_agree() {
        let h2 = || Request::get("http://a.example/").version(Version::HTTP_2);
        assert_eq!(verdict(&[], h2()), None);
        assert_eq!(verdict(&[], h2().header(HOST, "a.example")), None);
        assert_eq!(
            verdict(&[], h2().header(HOST, "b.example")),
            Some(StatusCode::BAD_REQUEST)
        );
    }

    #[test]
    fn answers_only_for_configured_hosts() {
        let misdirected = Some(StatusCode::MISDIRECTED_REQUEST);
        for (host, expected) in [
            ("events.example", None),
            ("EVENTS.example:8080", None),
            ("other.example", misdirected),
            ("events.example.evil", misdirected),
        ] {
            let request = Request::get("/").header(HOST, host);
            assert_eq!(verdict(&["Events.Example"], request), expected, "{host}");
        }
    }

    #[test]
    fn ignores_the_authority_of_an_absolute_target() {
        let request = Request::get("http://evil.example/x").header(HOST, "events.example");
        assert_eq!(verdict(&["events.example"], request), None);
    }
}
