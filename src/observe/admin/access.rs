//! The clients that may use the admin listener, and the endpoints open to them.

use http::header::{AUTHORIZATION, HOST, HeaderName, ORIGIN};
use http::{HeaderMap, Request};

use crate::server::Peer;
use calendar_edge_core::settings::AdminToken;

/// Written by browsers: the relation of the requesting page to the requested resource.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The clients that may use an endpoint, and the endpoints open to a request: those of its own access, and of all that
/// stand before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// All clients that reach the listener: `/livez` and `/readyz`.
    All,
    /// They as well, unless there is a token: endpoints that show nothing of the configuration and of single requests.
    Unguarded,
    /// Clients with the token, and this machine: everything.
    Operators,
}

// === impl Access ===

impl Access {
    /// The access of a request. Without `token` no client needs one.
    pub(super) fn of<B>(request: &Request<B>, token: Option<&AdminToken>) -> Self {
        match token {
            _ if shows(request, token) || is_local(request) => Self::Operators,
            Some(_) if !is_of_this_machine(request) => Self::All,
            Some(_) | None => Self::Unguarded,
        }
    }

    /// True if a request may change something: it must pass every check of a request for secrets, and no page in a
    /// browser changes anything (T-87).
    pub(super) fn may_change<B>(request: &Request<B>, token: Option<&AdminToken>) -> bool {
        let is_page = request.headers().contains_key(ORIGIN) || is_foreign(request);
        !is_page && Self::of(request, token) == Self::Operators
    }
}

/// True for a request with the token.
fn shows<B>(request: &Request<B>, token: Option<&AdminToken>) -> bool {
    let shown = bearer(request.headers());
    token.zip(shown).is_some_and(|(token, shown)| token.is(shown))
}

/// The token of `Authorization: Bearer …`.
fn bearer(headers: &HeaderMap) -> Option<&[u8]> {
    let value = headers.get(AUTHORIZATION)?.as_bytes();
    let (scheme, token) = value.split_at_checked(b"bearer ".len())?;
    scheme
        .eq_ignore_ascii_case(b"bearer ")
        .then(|| token.trim_ascii())
}

/// A Unix socket is on this machine as well.
fn is_of_this_machine<B>(request: &Request<B>) -> bool {
    let peer = request.extensions().get::<Peer>();
    peer.is_some_and(|peer| peer.address().is_none_or(|address| address.is_loopback()))
}

/// Returns true if a request comes from a person or a program on this machine.
///
/// A page of another site in a browser on this machine can send requests here as well. It names its origin, or a host
/// that is not this machine, if it made a name of its own lead here.
fn is_local<B>(request: &Request<B>) -> bool {
    let Some(peer) = request.extensions().get::<Peer>() else {
        return false;
    };
    if peer.local.is_none() {
        // A Unix socket: browsers cannot connect to them.
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

    fn from(remote: &str, headers: &[(&str, &str)]) -> Request<()> {
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
        request
    }

    #[test]
    fn other_machines_need_the_token_where_there_is_one() {
        const TOKEN: &str = "0123456789abcdef0123456789abcdef";
        let token = AdminToken::new(TOKEN.as_bytes()).unwrap();
        let (right, wrong) = (format!("bearer {TOKEN}"), format!("Bearer {TOKEN}0"));
        for (remote, authorization, open, guarded) in [
            ("127.0.0.1:1", None, Access::Operators, Access::Operators),
            ("192.0.2.1:1", None, Access::Unguarded, Access::All),
            ("192.0.2.1:1", Some(&wrong), Access::Unguarded, Access::All),
            ("192.0.2.1:1", Some(&right), Access::Unguarded, Access::Operators),
        ] {
            let shown = authorization.map(|token| ("authorization", token.as_str()));
            let request = from(remote, shown.as_slice());
            assert_eq!(Access::of(&request, None), open, "{remote} {authorization:?}");
            assert_eq!(
                Access::of(&request, Some(&token)),
                guarded,
                "{remote} {authorization:?}"
            );
            let changes = Access::may_change(&request, Some(&token));
            assert_eq!(
                changes,
                guarded == Access::Operators,
                "{remote} {authorization:?}"
            );
        }
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
            let request = from(remote, headers);
            assert_eq!(is_local(&request), expected, "{remote} {headers:?}");
            let changes = Access::may_change(&request, None);
            assert_eq!(changes, expected, "{remote} {headers:?}");
        }
    }
}
