//! Requires exactly one valid Host (RFC 9112 3.2) that the edge serves.

use http::request::Parts;

use crate::errors;
use crate::gateway::authority::Host;
use calendar_edge_judge::problem::{OwnError, Refusal};

/// The host that a request names; none only where HTTP/1.0 allows that. Refuses requests without exactly one valid host,
/// and hosts that the edge does not serve.
pub(super) fn named_host(hosts: &[String], head: &Parts) -> Result<Option<Host>, Refusal> {
    let named = Host::named_by(head).map_err(OwnError::refusal)?;
    match &named {
        Some(host) if !hosts.is_empty() && !serve(hosts, host) => Err(errors::MISDIRECTED.refusal()),
        _ => Ok(named),
    }
}

fn serve(hosts: &[String], named: &Host) -> bool {
    let with_port = named.to_string();
    hosts
        .iter()
        .any(|host| host.eq_ignore_ascii_case(&named.name) || host.eq_ignore_ascii_case(&with_port))
}

#[cfg(test)]
mod tests {
    use http::header::HOST;
    use http::{Request, StatusCode, Version};

    use super::*;

    fn verdict(hosts: &[&str], request: http::request::Builder) -> Option<StatusCode> {
        let hosts: Vec<String> = hosts.iter().map(|&host| host.to_owned()).collect();
        let (head, ()) = request.body(()).unwrap().into_parts();
        named_host(&hosts, &head).err().map(|refusal| refusal.status())
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
