//! Who may see what requests contained.

use http::Request;
use http::header::{HOST, HeaderName, ORIGIN};

use crate::server::Peer;

/// Written by browsers: the relation of the page that asks to what it asks for.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Returns true if a request comes from a person or a program on this machine.
///
/// A page of another site in a browser on this machine can send requests here as well. It names its origin, or a host
/// that is not this machine, if it made a name of its own lead here.
pub(super) fn is_local<B>(request: &Request<B>) -> bool {
    let Some(peer) = request.extensions().get::<Peer>() else {
        return false;
    };
    if peer.local.is_none() {
        // A Unix socket: browsers do not speak to them.
        return true;
    }
    peer.address().is_some_and(|address| address.is_loopback())
        && names_this_machine(request)
        && !is_foreign(request)
}

fn names_this_machine<B>(request: &Request<B>) -> bool {
    let authority = request.uri().authority().map(ToString::to_string);
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok());
    let Some(host) = authority.as_deref().or(host) else {
        return true;
    };
    let Ok(url) = url::Url::parse(&format!("http://{host}/")) else {
        return false;
    };
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

fn is_foreign<B>(request: &Request<B>) -> bool {
    let site = request
        .headers()
        .get(SEC_FETCH_SITE)
        .map(http::HeaderValue::as_bytes);
    match site {
        Some(b"none" | b"same-origin") => false,
        Some(_) => true,
        None => request.headers().contains_key(ORIGIN),
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use super::*;

    fn local(remote: &str, headers: &[(&str, &str)]) -> bool {
        let mut request = Request::new(());
        for (name, value) in headers {
            let name: HeaderName = name.parse().unwrap();
            request.headers_mut().insert(name, value.parse().unwrap());
        }
        let address: SocketAddr = remote.parse().unwrap();
        request.extensions_mut().insert(Peer {
            remote: Some(address),
            local: Some(address),
            ..Peer::default()
        });
        is_local(&request)
    }

    #[test]
    fn only_this_machine_is_local_and_no_page_of_another_site() {
        for (remote, headers, expected) in [
            ("127.0.0.1:1", &[("host", "127.0.0.1:9787")][..], true),
            ("127.0.0.1:1", &[("host", "localhost:9787")], true),
            ("[::1]:1", &[("host", "[::1]:9787")], true),
            ("127.0.0.1:1", &[], true),
            ("127.0.0.1:1", &[("host", "evil.example")], false),
            ("127.0.0.1:1", &[("host", "localhost.evil.example")], false),
            (
                "127.0.0.1:1",
                &[("host", "127.0.0.1"), ("origin", "http://evil.example")],
                false,
            ),
            (
                "127.0.0.1:1",
                &[("host", "127.0.0.1"), ("sec-fetch-site", "cross-site")],
                false,
            ),
            (
                "127.0.0.1:1",
                &[("host", "127.0.0.1"), ("sec-fetch-site", "same-origin")],
                true,
            ),
            ("192.0.2.1:1", &[("host", "127.0.0.1:9787")], false),
        ] {
            assert_eq!(local(remote, headers), expected, "{remote} {headers:?}");
        }
    }
}
