//! What a request says about who sends it.

use http::HeaderMap;
use http::header::{AUTHORIZATION, COOKIE};

use crate::contract::{Cookie, cookie_pairs};

/// Whether a request carries anything that could make it more than anonymous.
///
/// The edge never decides whether credentials are good: a wrong password is the origin's to refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// No credentials at all: WordPress treats the request as anonymous.
    Anonymous,
    /// Some credentials; what they allow is in the origin's database.
    Credentialed,
}

impl Caller {
    /// Looks for an `Authorization` header, a WordPress login cookie or a nonce (backend.md section 13).
    pub fn of(headers: &HeaderMap, has_nonce: bool) -> Self {
        let known = has_nonce
            || headers.contains_key(AUTHORIZATION)
            || headers.contains_key("x-wp-nonce")
            || headers
                .get_all(COOKIE)
                .iter()
                .any(|field| shows_login(field.as_bytes()));
        if known {
            Self::Credentialed
        } else {
            Self::Anonymous
        }
    }
}

/// Whether WordPress looks at a nonce before it looks at the call, and says 403 if it does not hold. Beside an
/// `Authorization` that is good it counts for nothing (backend.md section 13).
pub(super) fn is_nonce_first(headers: &HeaderMap, has_nonce: bool) -> bool {
    (has_nonce || headers.contains_key("x-wp-nonce")) && !headers.contains_key(AUTHORIZATION)
}

fn shows_login(cookies: &[u8]) -> bool {
    cookie_pairs(cookies).filter_map(Cookie::of).any(Cookie::is_login)
}
