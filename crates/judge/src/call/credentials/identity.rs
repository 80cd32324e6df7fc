//! The identity that a request counts as, for rate limits and lists of accounts.

use http::HeaderMap;

use super::authorization::Authorization;
use super::cookies::Cookies;
use super::principal::Principal;
use super::secret::Secret;

/// The properties that distinguish the credentials of one client from those of others. None of them is
/// verified.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Identity {
    /// All principals that the request is charged to. Only WordPress decides which credentials count, so all of them
    /// do: the `Authorization`, and every login cookie that is forwarded.
    pub principals: Vec<Principal>,
    account: Option<Secret<String>>,
    has_login_cookie: bool,
    /// True if there are Basic credentials in which PHP may find an account that the edge does not see.
    pub is_inexact: bool,
}

// === impl Identity ===

impl Identity {
    pub(super) fn new(authorization: Option<&Authorization<'_>>, cookies: &Cookies) -> Self {
        let shown = authorization.map(Authorization::principals).unwrap_or_default();
        Self {
            principals: Principal::distinct(shown.into_iter().chain(cookies.accounts.iter().cloned())),
            is_inexact: authorization.is_some_and(Authorization::is_inexact_basic),
            account: authorization.and_then(Authorization::account).map(Secret::new),
            has_login_cookie: cookies.show_login,
        }
    }

    /// The identity that `Authorization` alone shows; none without the field.
    pub fn of_authorization(headers: &HeaderMap) -> Option<Self> {
        let authorization = Authorization::of(headers)?;
        Some(Self::new(Some(&authorization), &Cookies::default()))
    }

    /// The identity of a login beside the API, which names this account; none: its account cannot be read, so that it
    /// counts with all unusual ones (T-112).
    pub fn of_login(account: Option<&[u8]>) -> Self {
        let named = account.map(|name| Principal::account(name).collect());
        Self {
            principals: named.unwrap_or_else(|| vec![Principal::UnusualAccount]),
            account: account
                .and_then(|name| std::str::from_utf8(name).ok())
                .map(|name| Secret::new(name.to_lowercase())),
            ..Self::default()
        }
    }

    /// The identity of a call to `xmlrpc.php`, which may try the passwords of any number of accounts, or none: it counts
    /// by its address, and with all such calls (T-112).
    pub fn of_xml_rpc() -> Self {
        Self {
            principals: vec![Principal::AnyAccount],
            ..Self::default()
        }
    }

    /// Returns false if the credentials name accounts, and none of them by this name.
    pub fn may_be(&self, name: &str) -> bool {
        let is_account = |principal: &&Principal| matches!(principal, Principal::Account(_));
        let mut named = self.principals.iter().filter(is_account).peekable();
        self.is_inexact
            || named.peek().is_none()
            || Principal::account(name.as_bytes())
                .next()
                .is_some_and(|account| named.any(|named| *named == account))
    }

    /// The account that Basic credentials or a form name, in lower case; `None` if there is a second Authorization.
    pub fn account(&self) -> Option<&str> {
        self.account.as_ref().map(|name| name.expose().as_str())
    }

    /// The account; `None` if there is a login cookie, which takes precedence at the site and may belong to
    /// another account.
    pub fn sole_account(&self) -> Option<&str> {
        self.account().filter(|_| !self.has_login_cookie)
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn credentials_that_name_accounts_are_nobody_elses() {
        for (field, value, expected) in [
            ("authorization", "Basic QWxpY2U6eA==", [true, false]),
            ("authorization", "Bearer x", [true, true]),
            ("cookie", "wordpress_logged_in_a=bob|1", [false, true]),
            ("cookie", "a=b", [true, true]),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(field, HeaderValue::from_static(value));
            let identity = Identity::new(Authorization::of(&headers).as_ref(), &Cookies::of(&headers));
            assert_eq!(
                ["alice", "Bob"].map(|name| identity.may_be(name)),
                expected,
                "{value}"
            );
        }
    }
}
