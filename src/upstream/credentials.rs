//! Which credentials of a client reach the origin: one Authorization, WordPress's cookies, the nonce.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::header::{AUTHORIZATION, COOKIE};
use http::{HeaderMap, HeaderValue};

use crate::config::Profile;

/// The longest Authorization value, in bytes (T-24).
const LONGEST_AUTHORIZATION: usize = 1024;

/// Beginnings of the names of cookies that WordPress reads on REST requests.
const COOKIES: [&str; 3] = ["wordpress_logged_in_", "wordpress_sec_", "wp-postpass_"];

/// Why credentials cannot be passed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CredentialsFault {
    /// Two Authorization fields: servers differ in which one counts.
    #[error("more than one Authorization")]
    SeveralAuthorizations,
    /// A value longer than any real one.
    #[error("the Authorization is too long")]
    LongAuthorization,
    /// Basic without `name:password` inside; refused by the strict profile.
    #[error("the Basic credentials cannot be read")]
    UnreadableBasic,
}

/// The one Authorization of a request.
///
/// What WordPress cannot read counts as no credentials there (CONTRACT 13), so that the compatible profile
/// leaves the judgement to it.
pub(super) fn authorization(
    headers: &HeaderMap,
    profile: Profile,
) -> Result<Option<HeaderValue>, CredentialsFault> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(CredentialsFault::SeveralAuthorizations);
    }
    if value.len() > LONGEST_AUTHORIZATION {
        return Err(CredentialsFault::LongAuthorization);
    }
    match profile {
        Profile::Strict if !is_readable(value.as_bytes()) => Err(CredentialsFault::UnreadableBasic),
        Profile::Strict | Profile::Compatible => Ok(Some(value.clone())),
    }
}

/// Whether a Basic value holds a name, a colon and a password; other schemes are not looked into.
fn is_readable(value: &[u8]) -> bool {
    let Some((scheme, rest)) = value.split_at_checked(6) else {
        return true;
    };
    if !scheme.eq_ignore_ascii_case(b"basic ") {
        return true;
    }
    STANDARD
        .decode(rest.trim_ascii())
        .is_ok_and(|pair| pair.contains(&b':') && !pair.iter().any(u8::is_ascii_control))
}

/// The cookies that WordPress needs to know a visitor, each name once; PHP obeys the first.
pub(super) fn cookies(headers: &HeaderMap) -> Option<HeaderValue> {
    let mut kept: Vec<[&[u8]; 2]> = Vec::new();
    for field in headers.get_all(COOKIE) {
        for pair in field.as_bytes().split(|byte| *byte == b';') {
            let Some((name, value)) = split_pair(pair.trim_ascii()) else {
                continue;
            };
            if is_wanted(name) && !kept.iter().any(|[known, _]| *known == name) {
                kept.push([name, value]);
            }
        }
    }
    let pairs: Vec<Vec<u8>> = kept.iter().map(|pair| pair.join(&b'=')).collect();
    let joined = pairs.join(&b"; "[..]);
    (!joined.is_empty())
        .then(|| HeaderValue::from_bytes(&joined).ok())
        .flatten()
}

fn split_pair(pair: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = pair.iter().position(|byte| *byte == b'=')?;
    let (name, value) = pair.split_at(at);
    let value = value.get(1..)?;
    let plain = value.iter().all(|byte| byte.is_ascii_graphic() && *byte != b'"');
    plain.then_some((name, value))
}

/// A known beginning, and then only what PHP takes as it stands.
fn is_wanted(name: &[u8]) -> bool {
    COOKIES.iter().any(|known| name.starts_with(known.as_bytes()))
        && name
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

/// The nonce header; several are joined, as a web server does.
pub(super) fn nonce(headers: &HeaderMap) -> Option<HeaderValue> {
    let values: Vec<&[u8]> = headers
        .get_all("x-wp-nonce")
        .iter()
        .map(HeaderValue::as_bytes)
        .collect();
    if values.is_empty() {
        return None;
    }
    HeaderValue::from_bytes(&values.join(&b", "[..])).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    fn basic(pair: &str) -> String {
        format!("basic {}", STANDARD.encode(pair))
    }

    #[test]
    fn passes_one_authorization_of_sane_length() {
        let long = "a".repeat(LONGEST_AUTHORIZATION + 1);
        for (pairs, expected) in [
            (&[][..], Ok(false)),
            (&[("authorization", "Bearer x")], Ok(true)),
            (&[("authorization", "Basic !!")], Ok(true)),
            (
                &[("authorization", "a"), ("authorization", "a")],
                Err(CredentialsFault::SeveralAuthorizations),
            ),
            (
                &[("authorization", &long)],
                Err(CredentialsFault::LongAuthorization),
            ),
        ] {
            let found = authorization(&headers(pairs), Profile::Compatible);
            assert_eq!(found.map(|value| value.is_some()), expected);
        }
    }

    #[test]
    fn strict_reads_basic_pairs() {
        let bad = Err(CredentialsFault::UnreadableBasic);
        for (value, expected) in [
            (basic("name:pass:word"), Ok(true)),
            (basic("name:"), Ok(true)),
            (basic("name"), bad),
            (basic("name:a\nb"), bad),
            ("Basic !!".to_owned(), bad),
            ("Bearer x".to_owned(), Ok(true)),
            ("x".to_owned(), Ok(true)),
        ] {
            let found = authorization(&headers(&[("authorization", &value)]), Profile::Strict);
            assert_eq!(found.map(|value| value.is_some()), expected, "{value}");
        }
    }

    #[test]
    fn keeps_only_the_cookies_of_wordpress() {
        for (fields, expected) in [
            (
                &[("cookie", "a=1; wordpress_logged_in_ab12=u%7C1; b=2")][..],
                Some("wordpress_logged_in_ab12=u%7C1"),
            ),
            (
                &[("cookie", "wordpress_sec_x=1"), ("cookie", "wp-postpass_y=2")],
                Some("wordpress_sec_x=1; wp-postpass_y=2"),
            ),
            (
                &[("cookie", "wp-postpass_y=1; wp-postpass_y=2")],
                Some("wp-postpass_y=1"),
            ),
            (&[("cookie", "wordpress_test_cookie=1; PHPSESSID=2")], None),
            (&[("cookie", "wordpress_logged_in_a.b=1")], None),
            (&[("cookie", "wordpress_logged_in_a")], None),
            (&[("cookie", "xwordpress_logged_in_a=1")], None),
            (&[], None),
        ] {
            let found = cookies(&headers(fields));
            assert_eq!(
                found.as_ref().map(|value| value.to_str().unwrap()),
                expected,
                "{fields:?}"
            );
        }
    }
}
