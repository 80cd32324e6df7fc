//! Which credentials of a client reach the origin: one Authorization, WordPress's cookies, the nonce.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::header::{AUTHORIZATION, COOKIE};
use http::{HeaderMap, HeaderValue};

use crate::contract::{Cookie, cookie_pairs};
use crate::settings::Profile;
use crate::value::split_once;

/// The longest Authorization value, in bytes (T-24).
const LONGEST_AUTHORIZATION: usize = 1024;

/// Why credentials cannot be passed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CredentialsFault {
    /// Two Authorization fields: servers differ in which one counts.
    #[error("more than one Authorization")]
    SeveralAuthorizations,
    /// A value longer than any real one.
    #[error("the Authorization is too long")]
    LongAuthorization,
    /// A scheme that is not accepted, or Basic without `name:password` inside; refused by the strict profile.
    #[error("the Authorization cannot be read")]
    Unreadable,
}

/// Looks at the Authorization of a request.
///
/// What WordPress cannot read counts as no credentials there (CONTRACT 13), so that the compatible profile leaves
/// the judgement to it. The strict one reads Basic, and lets other schemes pass that are listed.
pub(crate) fn check_authorization(
    headers: &HeaderMap,
    profile: Profile,
    schemes: &[String],
) -> Result<(), CredentialsFault> {
    match (authorization(headers)?, profile) {
        (Some(value), Profile::Strict) if !is_readable(value.as_bytes(), schemes) => {
            Err(CredentialsFault::Unreadable)
        }
        _ => Ok(()),
    }
}

/// The one Authorization of a request.
pub(super) fn authorization(headers: &HeaderMap) -> Result<Option<HeaderValue>, CredentialsFault> {
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
    Ok(Some(value.clone()))
}

/// Whether a Basic value holds a name, one colon and a password, or the scheme is a listed one. Application
/// passwords hold no colon (T-24).
fn is_readable(value: &[u8], schemes: &[String]) -> bool {
    let end = value.iter().position(|byte| *byte == b' ').unwrap_or(value.len());
    let (scheme, rest) = value.split_at(end);
    if !schemes
        .iter()
        .any(|known| known.as_bytes().eq_ignore_ascii_case(scheme))
    {
        return false;
    }
    if !scheme.eq_ignore_ascii_case(b"basic") {
        return true;
    }
    let is_pair = |pair: Vec<u8>| {
        let has_one_colon = pair.split(|&byte| byte == b':').count() == 2;
        has_one_colon && !pair.iter().any(u8::is_ascii_control)
    };
    STANDARD.decode(rest.trim_ascii()).is_ok_and(is_pair)
}

/// The cookies that WordPress needs to know a visitor, each name once; PHP obeys the first.
pub(super) fn cookies(headers: &HeaderMap) -> Option<HeaderValue> {
    let mut kept: Vec<[&[u8]; 2]> = Vec::new();
    for field in headers.get_all(COOKIE) {
        for pair in cookie_pairs(field.as_bytes()) {
            let Some((name, value)) = split_pair(pair) else {
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
    let (name, value) = split_once(pair, b'=')?;
    let plain = value.iter().all(|byte| byte.is_ascii_graphic() && *byte != b'"');
    plain.then_some((name, value))
}

/// A known beginning, and then only what PHP takes as it stands.
fn is_wanted(name: &[u8]) -> bool {
    Cookie::of(name).is_some()
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
    fn one_authorization_of_sane_length_passes() {
        let long = "a".repeat(LONGEST_AUTHORIZATION + 1);
        for (pairs, expected) in [
            (&[][..], Ok(())),
            (&[("authorization", "Bearer x")], Ok(())),
            (&[("authorization", "Basic !!")], Ok(())),
            (&[("authorization", "")], Ok(())),
            (&[("authorization", &long[1..])], Ok(())),
            (
                &[("authorization", "a"), ("authorization", "a")],
                Err(CredentialsFault::SeveralAuthorizations),
            ),
            (
                &[("authorization", &long)],
                Err(CredentialsFault::LongAuthorization),
            ),
        ] {
            assert_eq!(
                check_authorization(&headers(pairs), Profile::Compatible, &[]),
                expected
            );
        }
    }

    #[test]
    fn strict_reads_basic_pairs_and_knows_listed_schemes() {
        let schemes = ["Basic".to_owned(), "Token".to_owned()];
        let bad = Err(CredentialsFault::Unreadable);
        for (value, expected) in [
            (basic("name:pass word"), Ok(())),
            (basic("name:pass:word"), bad),
            (basic("name:"), Ok(())),
            (basic("name"), bad),
            (basic("name:a\nb"), bad),
            ("Basic !!".to_owned(), bad),
            ("Basic".to_owned(), bad),
            ("token x".to_owned(), Ok(())),
            ("Bearer x".to_owned(), bad),
            ("x".to_owned(), bad),
            (String::new(), bad),
        ] {
            let headers = headers(&[("authorization", &value)]);
            assert_eq!(
                check_authorization(&headers, Profile::Strict, &schemes),
                expected,
                "{value}"
            );
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
