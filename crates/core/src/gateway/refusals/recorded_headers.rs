//! Headers without secrets.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::header::{AUTHORIZATION, COOKIE, HOST, HeaderName};
use http::{HeaderMap, HeaderValue};

use super::parameters::{REDACTED, holds_user_info};
use calendar_edge_judge::wordpress::value::split_once;

/// Headers whose values hold no secrets: those that decisions depend on, and what describes a client. `Referer` is none of
/// them, because its query may be any.
const HARMLESS: [&str; 42] = [
    "accept",
    "accept-charset",
    "accept-encoding",
    "accept-language",
    "access-control-request-headers",
    "access-control-request-method",
    "cache-control",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "date",
    "dnt",
    "expect",
    "host",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "if-unmodified-since",
    "keep-alive",
    "max-forwards",
    "origin",
    "pragma",
    "priority",
    "range",
    "sec-fetch-dest",
    "sec-fetch-mode",
    "sec-fetch-site",
    "sec-fetch-user",
    "te",
    "traceparent",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "upgrade-insecure-requests",
    "user-agent",
    "via",
    "x-forwarded-for",
    "x-forwarded-proto",
    "x-http-method-override",
    "x-request-id",
];

/// The headers with their secrets replaced, and the names of those that held them.
pub(super) fn redacted(headers: &HeaderMap) -> (HeaderMap, Vec<String>) {
    let mut kept = headers.clone();
    let mut names = Vec::new();
    for (name, value) in &mut kept {
        let stand_in = match *name {
            AUTHORIZATION => authorization(value.as_bytes()),
            COOKIE => cookies(value.as_bytes()),
            HOST if value.as_bytes().contains(&b'@') => masked(value.as_bytes()),
            _ if !is_harmless(name) || holds_user_info(value.as_bytes()) => REDACTED.as_bytes().to_vec(),
            _ => {
                // A copy: the received one may be part of a larger block of memory.
                detach(value);
                continue;
            }
        };
        *value = HeaderValue::from_bytes(&stand_in).unwrap_or(HeaderValue::from_static(REDACTED));
        if !names.iter().any(|known| known == name.as_str()) {
            names.push(name.to_string());
        }
    }
    (kept, names)
}

fn detach(value: &mut HeaderValue) {
    if let Ok(copy) = HeaderValue::from_bytes(value.as_bytes()) {
        *value = copy;
    }
}

fn is_harmless(name: &HeaderName) -> bool {
    HARMLESS.binary_search(&name.as_str()).is_ok()
}

/// The scheme and, of exact Basic credentials, the account.
fn authorization(value: &[u8]) -> Vec<u8> {
    let Some((scheme, token)) = split_once(value, b' ') else {
        return masked(value);
    };
    let pair = STANDARD.decode(token).ok();
    let pair = pair.filter(|_| scheme.eq_ignore_ascii_case(b"basic"));
    match pair.as_deref().and_then(|pair| split_once(pair, b':')) {
        Some((account, password)) => {
            let pair = [account, b":", &masked_password(password)].concat();
            [scheme, b" ", STANDARD.encode(pair).as_bytes()].concat()
        }
        None => [scheme, b" ", &masked(token)].concat(),
    }
}

/// A password of one class: whether it holds a colon or a control character decides in the strict profile.
fn masked_password(password: &[u8]) -> Vec<u8> {
    let mut mask = REDACTED.as_bytes().to_vec();
    if password.contains(&b':') {
        mask.push(b':');
    }
    if password.iter().any(u8::is_ascii_control) {
        mask.push(b'\x01');
    }
    mask
}

/// The names of all cookies. Their accounts matter to rate limits only.
fn cookies(field: &[u8]) -> Vec<u8> {
    let pairs: Vec<Vec<u8>> = field.split(|byte| *byte == b';').map(cookie).collect();
    pairs.join(&b';')
}

fn cookie(pair: &[u8]) -> Vec<u8> {
    match split_once(pair, b'=') {
        Some((name, value)) => [name, b"=", &masked(value)].concat(),
        None => masked(pair),
    }
}

/// One byte for each text of letters and digits: neither content nor length stays, odd bytes do.
fn masked(text: &[u8]) -> Vec<u8> {
    let mut mask: Vec<u8> = text
        .iter()
        .map(|byte| if byte.is_ascii_alphanumeric() { b'x' } else { *byte })
        .collect();
    mask.dedup_by(|next, last| *next == b'x' && *last == b'x');
    mask
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Profile;
    use calendar_edge_judge::call::credentials::Credentials;

    fn kept(name: &HeaderName, value: &str) -> String {
        let headers = HeaderMap::from_iter([(name.clone(), HeaderValue::from_str(value).unwrap())]);
        let (kept, names) = redacted(&headers);
        assert_eq!(names, [name.as_str()]);
        kept[name].to_str().unwrap().to_owned()
    }

    #[test]
    fn passwords_and_sessions_do_not_stay() {
        let basic = |pair: &str| format!("Basic {}", STANDARD.encode(pair));
        for (value, expected) in [
            (basic("alice:hunter2"), basic("alice:redacted")),
            (basic("alice:a:b"), basic("alice:redacted:")),
            ("Bearer abc.def".to_owned(), "Bearer x.x".to_owned()),
            ("Basic !!".to_owned(), "Basic !!".to_owned()),
            ("secret".to_owned(), "x".to_owned()),
        ] {
            assert_eq!(kept(&AUTHORIZATION, &value), expected);
        }
        let cookie = "a=1; wordpress_logged_in_5f=alice%7C17%7Ckey; wp-postpass_5f=hash";
        assert_eq!(
            kept(&COOKIE, cookie),
            "a=x; wordpress_logged_in_5f=x%x%x; wp-postpass_5f=x"
        );
        assert_eq!(kept(&HeaderName::from_static("x-wp-nonce"), "12ab"), "redacted");
        for name in [
            "x-api-key",
            "x-session-id",
            "referer",
            "proxy-authorization",
            "x-anything",
        ] {
            assert_eq!(
                kept(&HeaderName::from_static(name), "https://a.example/?key=12ab"),
                "redacted"
            );
        }
        let origin = HeaderName::from_static("origin");
        assert_eq!(kept(&origin, "https://u:p@a.example"), "redacted");
        assert_eq!(kept(&HOST, "editor:secret@a.example"), "x:x@x.x");
    }

    #[test]
    fn what_decisions_depend_on_stays() {
        assert!(HARMLESS.is_sorted());
        let text = "https://a.example";
        let headers = HARMLESS.map(|name| (HeaderName::from_static(name), HeaderValue::from_static(text)));
        let headers = HeaderMap::from_iter(headers);
        assert_eq!(redacted(&headers), (headers.clone(), Vec::new()));
    }

    #[test]
    fn the_sender_is_the_same_afterwards() {
        for (name, value) in [
            (AUTHORIZATION, "Basic QWxpY2U6eA=="),
            (AUTHORIZATION, "Basic QWxpY2U6eA"),
            (AUTHORIZATION, "Bearer x"),
            (COOKIE, "wordpress_logged_in_5f=alice%7C17%7Ckey"),
            (COOKIE, "wp-postpass_5f=x"),
        ] {
            let headers = HeaderMap::from_iter([(name, HeaderValue::from_static(value))]);
            let read = |headers| Credentials::read(headers, Profile::Compatible).unwrap();
            let (kept, _) = redacted(&headers);
            let (before, after) = (read(&headers), read(&kept));
            assert_eq!(after.identity().sole_account(), before.identity().sole_account());
            assert_eq!(after.identity().is_inexact, before.identity().is_inexact);
            assert_eq!(after.caller(None), before.caller(None), "{value}");
        }
    }
}
