//! What a request says about who sends it.

use http::HeaderMap;
use http::header::{AUTHORIZATION, COOKIE};

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
    /// Looks for an `Authorization` header, a WordPress login cookie or a nonce (CONTRACT section 13).
    pub fn of(headers: &HeaderMap, has_nonce: bool) -> Self {
        let known = has_nonce
            || headers.contains_key(AUTHORIZATION)
            || headers.contains_key("x-wp-nonce")
            || headers
                .get_all(COOKIE)
                .iter()
                .any(|cookies| login_cookies(cookies.as_bytes()).next().is_some());
        if known {
            Self::Credentialed
        } else {
            Self::Anonymous
        }
    }
}

/// The login cookies among the pairs of a `Cookie` header.
fn login_cookies(cookies: &[u8]) -> impl Iterator<Item = &[u8]> {
    let pairs = cookies.split(|&byte| byte == b';').map(<[u8]>::trim_ascii);
    pairs.filter(|pair| pair.starts_with(b"wordpress_logged_in_") || pair.starts_with(b"wordpress_sec_"))
}
