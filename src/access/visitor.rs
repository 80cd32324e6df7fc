//! Who calls, as far as budgets must tell visitors apart, and for what.

use std::net::IpAddr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::header::{AUTHORIZATION, COOKIE};
use http::{HeaderMap, Method};
use ipnet::IpNet;

use crate::contract::{Cookie, Route, cookie_pairs};
use crate::settings::visitor_network;
use crate::target::RouteMatch;

/// What a call costs the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Call {
    /// A list: a query over many records.
    List,
    /// One record, the index, a description, or nothing at all.
    Item,
    /// Anything that may change something.
    Write,
}

/// Where a call comes from and what it shows; borrowed, because credentials are not to be kept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Visitor<'a> {
    address: Option<IpAddr>,
    headers: &'a HeaderMap,
}

// === impl Call ===

impl Call {
    /// The kind of a call, whether or not its target leads somewhere.
    pub(crate) fn of(method: &Method, matched: Option<&RouteMatch>) -> Self {
        match matched.map(|matched| matched.route) {
            _ if !method.is_safe() => Self::Write,
            Some(Route::Collection(_)) if *method != Method::OPTIONS => Self::List,
            _ => Self::Item,
        }
    }
}

// === impl Visitor ===

impl<'a> Visitor<'a> {
    pub(crate) fn new(address: Option<IpAddr>, headers: &'a HeaderMap) -> Self {
        Self { address, headers }
    }

    /// What tells addresses apart; none for a client whose address is not known.
    pub(super) fn network(&self) -> Option<IpNet> {
        self.address.map(visitor_network)
    }

    /// What tells credentials apart: the whole of them, so that who only knows a name does not spend for its
    /// owner.
    pub(super) fn credentials(&self) -> Option<&'a [u8]> {
        let authorization = self.headers.get(AUTHORIZATION).map(http::HeaderValue::as_bytes);
        authorization.or_else(|| self.login_cookie())
    }

    /// The account that Basic credentials name, in lower case; none beside other credentials.
    pub(super) fn account(&self) -> Option<String> {
        let mut values = self.headers.get_all(AUTHORIZATION).iter();
        let (Some(value), None) = (values.next(), values.next()) else {
            return None;
        };
        let (scheme, rest) = value.as_bytes().split_at_checked(6)?;
        if !scheme.eq_ignore_ascii_case(b"basic ") {
            return None;
        }
        let pair = STANDARD.decode(rest.trim_ascii()).ok()?;
        let name = pair.get(..pair.iter().position(|byte| *byte == b':')?)?;
        Some(String::from_utf8_lossy(name).to_ascii_lowercase())
    }

    /// Whether there is a cookie that WordPress takes for a login.
    pub(super) fn shows_login_cookie(&self) -> bool {
        self.cookies().filter_map(Cookie::of).any(Cookie::is_login)
    }

    pub(super) fn address(&self) -> Option<IpAddr> {
        self.address
    }

    fn login_cookie(&self) -> Option<&'a [u8]> {
        self.cookies()
            .find(|pair| Cookie::of(pair) == Some(Cookie::LoggedIn))
    }

    fn cookies(&self) -> impl Iterator<Item = &'a [u8]> {
        let fields = self.headers.get_all(COOKIE).iter();
        fields.flat_map(|field| cookie_pairs(field.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    #[test]
    fn ipv6_clients_are_told_apart_by_their_network() {
        let headers = HeaderMap::new();
        let network = |address: &str| Visitor::new(Some(address.parse().unwrap()), &headers).network();
        assert_eq!(network("2001:db8::1"), network("2001:db8::ffff:2"));
        assert_ne!(network("2001:db8::1"), network("2001:db8:0:1::1"));
        assert_ne!(network("192.0.2.1"), network("192.0.2.2"));
        assert_eq!(Visitor::new(None, &headers).network(), None);
    }

    #[test]
    fn basic_credentials_name_an_account() {
        for (value, expected) in [
            ("Basic QWxpY2U6eA==", Some("alice")),
            ("basic  QWxpY2U6eDp5 ", Some("alice")),
            ("Basic QWxpY2U=", None),
            ("Basic !!", None),
            ("Bearer QWxpY2U6eA==", None),
            ("", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(AUTHORIZATION, HeaderValue::from_static(value));
            let account = Visitor::new(None, &headers).account();
            assert_eq!(account.as_deref(), expected, "{value}");
        }
    }

    #[test]
    fn credentials_are_an_authorization_or_a_login_cookie() {
        for (name, value, expected) in [
            (AUTHORIZATION, "Bearer x", Some(&b"Bearer x"[..])),
            (
                COOKIE,
                "a=b; wordpress_logged_in_ab=u",
                Some(b"wordpress_logged_in_ab=u"),
            ),
            (COOKIE, "a=b", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(name, HeaderValue::from_static(value));
            assert_eq!(Visitor::new(None, &headers).credentials(), expected, "{value}");
        }
    }
}
