//! The cookies by which WordPress recognises a client (backend.md section 13).

use http::header::COOKIE;
use http::{HeaderMap, HeaderValue};

use super::secret::Secret;
use crate::value::split_once;

/// A cookie that WordPress reads on REST requests; its name ends in a hash of the site's address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cookie {
    /// Names the account that is logged in.
    LoggedIn,
    /// The session of the login, for sites with encrypted connections.
    Session,
    /// Opens posts that are protected by a password.
    PostPassword,
}

/// The cookies of a request that WordPress reads.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Cookies {
    /// The value of the outgoing `Cookie` field.
    forwarded: Option<Secret<HeaderValue>>,
    /// The first cookie that names a logged-in account, with its name.
    logged_in: Option<Secret<HeaderValue>>,
    show_login: bool,
    open_post: bool,
}

// === impl Cookie ===

impl Cookie {
    /// The cookie with this name; the argument may also be a whole `name=value` pair.
    fn of(pair: &[u8]) -> Option<Self> {
        let beginnings: [(&[u8], Self); 3] = [
            (b"wordpress_logged_in_", Self::LoggedIn),
            (b"wordpress_sec_", Self::Session),
            (b"wp-postpass_", Self::PostPassword),
        ];
        let known = beginnings
            .into_iter()
            .find(|(beginning, _)| pair.starts_with(beginning));
        known.map(|(_, cookie)| cookie)
    }
}

// === impl Cookies ===

impl Cookies {
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let mut cookies = Self::default();
        let mut kept = Vec::new();
        let fields = headers.get_all(COOKIE).iter();
        for pair in fields.flat_map(|field| pairs(field.as_bytes())) {
            let Some(cookie) = Cookie::of(pair) else { continue };
            cookies.note(cookie, pair);
            keep(pair, &mut kept);
        }
        cookies.forwarded = joined(&kept);
        cookies
    }

    fn note(&mut self, cookie: Cookie, pair: &[u8]) {
        match cookie {
            Cookie::LoggedIn => {
                self.show_login = true;
                if self.logged_in.is_none() {
                    self.logged_in = HeaderValue::from_bytes(pair).ok().map(Secret::new);
                }
            }
            Cookie::Session => self.show_login = true,
            Cookie::PostPassword => self.open_post = true,
        }
    }

    /// The cookies that WordPress needs to recognise a client, each name once; PHP obeys the first.
    pub(super) fn forwarded(&self) -> Option<&HeaderValue> {
        self.forwarded.as_ref().map(Secret::expose)
    }

    pub(super) const fn logged_in(&self) -> Option<&Secret<HeaderValue>> {
        self.logged_in.as_ref()
    }

    /// Returns true if there is a cookie that WordPress takes for a login, valid or not.
    pub(super) const fn show_login(&self) -> bool {
        self.show_login
    }

    /// Returns true if there is the password of a protected post.
    pub(super) const fn open_post(&self) -> bool {
        self.open_post
    }
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

fn is_plain_name(name: &[u8]) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    Cookie::of(name).is_some() && name.iter().all(is_plain)
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
        let found: Vec<Option<Cookie>> = pairs(
            b"a=1; wordpress_logged_in_5f=x;wordpress_sec_5f=y; wp-postpass_5f=z; wordpress_test_cookie=1",
        )
        .map(Cookie::of)
        .collect();
        let expected = [
            None,
            Some(Cookie::LoggedIn),
            Some(Cookie::Session),
            Some(Cookie::PostPassword),
            None,
        ];
        assert_eq!(found, expected);
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
