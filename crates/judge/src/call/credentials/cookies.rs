//! The cookies by which WordPress recognises a client (backend.md section 13).

use http::header::COOKIE;
use http::{HeaderMap, HeaderValue};

use super::principal::Principal;
use super::secret::Secret;
use crate::wordpress::payload::{Plus, decode};
use crate::wordpress::value::split_once;

/// The beginnings of cookies that WordPress reads on REST requests, and whether one shows a login: the account, its session
/// on sites with encrypted connections, and the password of a protected post. A hash of the site's address follows.
const KNOWN: [(&[u8], bool); 3] = [
    (b"wordpress_logged_in_", true),
    (b"wordpress_sec_", true),
    (b"wp-postpass_", false),
];

/// The cookies of a request that WordPress reads.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Cookies {
    /// The value of the outgoing `Cookie` field.
    forwarded: Option<Secret<HeaderValue>>,
    /// The accounts that forwarded cookies name. The name of the cookie that WordPress reads ends in a hash that the
    /// edge does not have, so that all of them count.
    pub(super) accounts: Vec<Principal>,
    /// True if there is a cookie that WordPress takes for a login, valid or not.
    pub(super) show_login: bool,
    /// True if there is the password of a protected post.
    pub(super) open_post: bool,
}

// === impl Cookies ===

impl Cookies {
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let mut cookies = Self::default();
        let mut kept = Vec::new();
        let fields = headers.get_all(COOKIE).iter();
        for pair in fields.flat_map(|field| pairs(field.as_bytes())) {
            match is_login(pair) {
                Some(true) => cookies.show_login = true,
                Some(false) => cookies.open_post = true,
                None => continue,
            }
            keep(pair, &mut kept);
        }
        cookies.accounts = kept.iter().flat_map(accounts).collect();
        cookies.forwarded = joined(&kept);
        cookies
    }

    /// The cookies that WordPress needs to recognise a client, each name once; PHP reads the first.
    pub(super) fn forwarded(&self) -> Option<&HeaderValue> {
        self.forwarded.as_ref().map(Secret::expose)
    }
}

/// True if a cookie shows a login; none for one that WordPress does not read. The argument is its name, or a whole
/// `name=value` pair.
fn is_login(pair: &[u8]) -> Option<bool> {
    let known = KNOWN.iter().find(|(beginning, _)| pair.starts_with(beginning));
    known.map(|(_, is_login)| *is_login)
}

/// The pairs of a `Cookie` field's value, without the blanks around them.
fn pairs(field: &[u8]) -> impl Iterator<Item = &[u8]> {
    field.split(|byte| *byte == b';').map(<[u8]>::trim_ascii)
}

/// Keeps a pair that PHP reads without change, unless its name is already kept.
fn keep<'a>(pair: &'a [u8], kept: &mut Vec<[&'a [u8]; 2]>) {
    let Some((name, value)) = split_once(pair, b'=') else {
        return;
    };
    let is_new = !kept.iter().any(|[known, _]| *known == name);
    if is_new && is_plain_name(name) && is_plain_value(value) {
        kept.push([name, value]);
    }
}

/// The account of a cookie of a login, which stands before the first bar.
fn accounts([name, value]: &[&[u8]; 2]) -> Vec<Principal> {
    if is_login(name) != Some(true) {
        return Vec::new();
    }
    let value = decode(value, Plus::Literal);
    let account = value.split(|byte| *byte == b'|').next().unwrap_or_default();
    Principal::account(account).collect()
}

fn is_plain_name(name: &[u8]) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    is_login(name).is_some() && name.iter().all(is_plain)
}

fn is_plain_value(value: &[u8]) -> bool {
    value.iter().all(|byte| byte.is_ascii_graphic() && *byte != b'"')
}

fn joined(kept: &[[&[u8]; 2]]) -> Option<Secret<HeaderValue>> {
    let pairs: Vec<Vec<u8>> = kept.iter().map(|pair| pair.join(&b'=')).collect();
    let field = pairs.join(&b"; "[..]);
    let value = HeaderValue::from_bytes(&field).ok().filter(|_| !field.is_empty());
    value.map(Secret::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_cookies_of_wordpress() {
        let found: Vec<Option<bool>> = pairs(
            b"a=1; wordpress_logged_in_5f=x;wordpress_sec_5f=y; wp-postpass_5f=z; wordpress_test_cookie=1",
        )
        .map(is_login)
        .collect();
        let expected = [None, Some(true), Some(true), Some(false), None];
        assert_eq!(found, expected);
    }

    #[test]
    fn cookies_name_accounts() {
        for (field, expected) in [
            ("wordpress_logged_in_a=alice%7C1%7Cx%7Cy", &["alice"][..]),
            ("wordpress_logged_in_a=%41lice|2|x|y", &["alice"]),
            (
                "wordpress_logged_in_a=alice; wordpress_logged_in_a=bob",
                &["alice"],
            ),
            (
                "wordpress_logged_in_b=bob; wordpress_logged_in_a=alice",
                &["bob", "alice"],
            ),
            ("wordpress_sec_a=carol%7C1", &["carol"]),
            ("wordpress_logged_in_a.b=dave", &[]),
            ("wp-postpass_a=erin", &[]),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(COOKIE, HeaderValue::from_static(field));
            let expected: Vec<Principal> = expected
                .iter()
                .flat_map(|name| Principal::account(name.as_bytes()))
                .collect();
            assert_eq!(Cookies::of(&headers).accounts, expected, "{field}");
        }
    }

    #[test]
    fn keeps_only_the_cookies_of_wordpress() {
        for (fields, expected) in [
            (
                &["a=1; wordpress_logged_in_ab12=u%7C1; b=2"][..],
                Some("wordpress_logged_in_ab12=u%7C1"),
            ),
            (
                &["wordpress_sec_x=1", "wp-postpass_y=2"],
                Some("wordpress_sec_x=1; wp-postpass_y=2"),
            ),
            (&["wp-postpass_y=1; wp-postpass_y=2"], Some("wp-postpass_y=1")),
            (&["wordpress_test_cookie=1; PHPSESSID=2"], None),
            (&["wordpress_logged_in_a.b=1"], None),
            (&["wordpress_logged_in_a"], None),
            (&["xwordpress_logged_in_a=1"], None),
            (&[], None),
        ] {
            let mut headers = HeaderMap::new();
            for field in fields {
                headers.append(COOKIE, HeaderValue::from_static(field));
            }
            let cookies = Cookies::of(&headers);
            let found = cookies.forwarded().map(|value| value.to_str().unwrap());
            assert_eq!(found, expected, "{fields:?}");
        }
    }
}
