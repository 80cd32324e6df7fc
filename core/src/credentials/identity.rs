//! The identity that a request counts as, for rate limits and lists of accounts.

use http::HeaderValue;

use super::authorization::Authorization;
use super::cookies::Cookies;
use super::secret::Secret;

/// The properties that distinguish the credentials of one client from those of others. None of them is
/// verified.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Identity {
    proof: Option<Secret<HeaderValue>>,
    account: Option<Secret<String>>,
    has_login_cookie: bool,
}

// === impl Identity ===

impl Identity {
    pub(super) fn new(authorization: Option<&Authorization<'_>>, cookies: &Cookies) -> Self {
        let value = authorization.map(|authorization| Secret::new(authorization.value().clone()));
        Self {
            proof: value.or_else(|| cookies.logged_in().cloned()),
            account: authorization.and_then(Authorization::account).map(Secret::new),
            has_login_cookie: cookies.show_login(),
        }
    }

    /// The whole credentials, password included, so that a client that knows only an account name cannot
    /// spend the account's budget.
    pub fn proof(&self) -> Option<&[u8]> {
        self.proof.as_ref().map(|proof| proof.expose().as_bytes())
    }

    /// The account that Basic credentials name, in lower case; `None` if there is a second Authorization.
    pub fn account(&self) -> Option<&str> {
        self.account.as_ref().map(|name| name.expose().as_str())
    }

    /// The account; `None` if there is a login cookie, which takes precedence at the site and may belong to
    /// another account.
    pub fn sole_account(&self) -> Option<&str> {
        self.account().filter(|_| !self.has_login_cookie)
    }
}
