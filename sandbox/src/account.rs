//! The accounts of the sandbox, and the authentication of requests (backend.md section 13).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, header};

use super::rest_error::RestError;

/// The application password of every account; blanks in it do not count.
pub(super) const PASSWORD: &str = "sand boxs ecre tcal enda redg";

/// An account.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Account {
    /// The number shown as `author`.
    pub(super) id: u64,
    /// The login name.
    pub(super) name: &'static str,
    /// The role, which decides its rights.
    pub(super) role: AccountRole,
}

/// The rights of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AccountRole {
    /// Everything.
    Administrator,
    /// Writes, but an editor must publish the records.
    Contributor,
    /// Reads only.
    Subscriber,
}

/// The accounts of the sandbox.
pub(super) static ACCOUNTS: [Account; 3] = [
    Account {
        id: 1,
        name: "demo",
        role: AccountRole::Administrator,
    },
    Account {
        id: 2,
        name: "contributor",
        role: AccountRole::Contributor,
    },
    Account {
        id: 3,
        name: "subscriber",
        role: AccountRole::Subscriber,
    },
];

/// The account of a request; none: anonymous.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CurrentUser {
    account: Option<&'static Account>,
}

// === impl CurrentUser ===

impl CurrentUser {
    /// The user that a request's headers prove. `nonce` says whether the request has a nonce; the sandbox has no
    /// login, so every nonce is stale.
    pub(super) fn of(headers: &HeaderMap, nonce: bool) -> Result<Self, RestError> {
        let basic = basic(headers);
        match basic {
            Some((name, password)) => {
                let account = ACCOUNTS.iter().find(|account| account.name == name);
                let account = account.ok_or(RestError::UnknownUser)?;
                if squeezed(&password) != squeezed(PASSWORD) {
                    return Err(RestError::WrongPassword);
                }
                // A cookie without a nonce turns even good credentials into an anonymous user.
                let cookie = is_session(headers) && !nonce;
                Ok(Self {
                    account: (!cookie).then_some(account),
                })
            }
            None if nonce => Err(RestError::StaleNonce),
            None => Ok(Self::default()),
        }
    }

    /// The number of the account, 0 for nobody.
    pub(super) fn id(self) -> u64 {
        self.account.map_or(0, |account| account.id)
    }

    /// Whether the request is authenticated.
    pub(super) fn is_known(self) -> bool {
        self.account.is_some()
    }

    /// Whether the user may write; per type, not per record (backend.md section 9).
    pub(super) fn may_write(self) -> bool {
        matches!(
            self.role(),
            Some(AccountRole::Administrator | AccountRole::Contributor)
        )
    }

    /// Whether the user may publish.
    pub(super) fn may_publish(self) -> bool {
        self.role() == Some(AccountRole::Administrator)
    }

    /// Whether the user may read everyone's unpublished records.
    pub(super) fn reads_all(self) -> bool {
        self.role() == Some(AccountRole::Administrator)
    }

    fn role(self) -> Option<AccountRole> {
        self.account.map(|account| account.role)
    }
}

/// Name and password of Basic credentials; anything malformed counts as none.
fn basic(headers: &HeaderMap) -> Option<(String, String)> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let decoded = String::from_utf8(STANDARD.decode(token.trim()).ok()?).ok()?;
    let (name, password) = decoded.split_once(':')?;
    (!name.is_empty() && !password.is_empty()).then(|| (name.to_owned(), password.to_owned()))
}

fn is_session(headers: &HeaderMap) -> bool {
    let cookies = headers.get_all(header::COOKIE).iter();
    cookies
        .filter_map(|value| value.to_str().ok())
        .any(|value| value.contains("wordpress_logged_in_"))
}

fn squeezed(password: &str) -> String {
    password.split_ascii_whitespace().collect()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn headers(credentials: &str) -> HeaderMap {
        let value = format!("bAsIc {}", STANDARD.encode(credentials));
        let value = HeaderValue::from_str(&value).expect("ASCII");
        HeaderMap::from_iter([(header::AUTHORIZATION, value)])
    }

    #[test]
    fn knows_its_accounts_with_and_without_blanks() {
        for password in [PASSWORD, &squeezed(PASSWORD)] {
            let user = CurrentUser::of(&headers(&format!("demo:{password}")), false).expect("known");
            assert!(user.may_publish());
        }
        let contributor =
            CurrentUser::of(&headers(&format!("contributor:{PASSWORD}")), false).expect("known");
        assert!(contributor.may_write() && !contributor.may_publish());
    }

    #[test]
    fn tells_a_wrong_password_from_an_unknown_user() {
        assert!(matches!(
            CurrentUser::of(&headers("demo:x"), false),
            Err(RestError::WrongPassword)
        ));
        assert!(matches!(
            CurrentUser::of(&headers("x:x"), false),
            Err(RestError::UnknownUser)
        ));
    }

    #[test]
    fn takes_malformed_credentials_for_none() {
        for credentials in ["", "demo", ":", "demo:"] {
            let user = CurrentUser::of(&headers(credentials), false).expect("anonymous");
            assert!(!user.is_known(), "{credentials}");
        }
    }

    #[test]
    fn refuses_a_nonce_of_nobody() {
        assert!(matches!(
            CurrentUser::of(&HeaderMap::new(), true),
            Err(RestError::StaleNonce)
        ));
    }
}
