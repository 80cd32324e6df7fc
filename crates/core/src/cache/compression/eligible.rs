//! The responses that may be compressed.

use http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_RANGE, CONTENT_TYPE, ETAG};
use http::{HeaderMap, HeaderValue, StatusCode};

use crate::cache::storable::has_any;

/// The shortest body that is compressed, in bytes: a shorter one fits into a packet or two anyway.
pub const SHORTEST: u64 = 1024;

/// Returns true if the content coding of a response depends on `Accept-Encoding`: it is whole, of a type that shrinks,
/// not compressed yet, and no header forbids it.
pub fn eligible(status: StatusCode, headers: &HeaderMap) -> bool {
    let has_body = !status.is_informational()
        && !matches!(
            status,
            StatusCode::NO_CONTENT | StatusCode::RESET_CONTENT | StatusCode::PARTIAL_CONTENT
        );
    let is_plain = !headers.contains_key(CONTENT_ENCODING) && !headers.contains_key(CONTENT_RANGE);
    // A 304 has the headers of the 200 in whose place it stands, but not its type.
    let shrinks = status == StatusCode::NOT_MODIFIED || headers.get(CONTENT_TYPE).is_some_and(is_text);
    has_body && is_plain && shrinks && !forbids_change(headers)
}

/// JSON, JavaScript, XML and all kinds of text.
fn is_text(content_type: &HeaderValue) -> bool {
    // As WordPress spells it.
    if content_type == "application/json; charset=UTF-8" {
        return true;
    }
    let Ok(value) = content_type.to_str() else {
        return false;
    };
    let essence = value
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    let listed = ["application/json", "application/javascript", "application/xml"];
    // Events of a stream must leave one by one.
    (essence.starts_with("text/") && essence != "text/event-stream")
        || listed.contains(&essence.as_str())
        || essence.ends_with("+json")
        || essence.ends_with("+xml")
}

/// Returns true if `Cache-Control` has `no-transform`: no server on the way may change the coding of the response.
pub fn forbids_change(headers: &HeaderMap) -> bool {
    has_any(headers, &CACHE_CONTROL, &["no-transform"])
}

/// Makes the entity tag of a compressed body weak: it is no longer the same bytes, but still the same response.
pub fn weaken(headers: &mut HeaderMap) {
    let Some(tag) = headers.get(ETAG) else { return };
    if tag.as_bytes().starts_with(b"W/") {
        return;
    }
    match HeaderValue::from_bytes(&[b"W/", tag.as_bytes()].concat()) {
        Ok(weak) => headers.insert(ETAG, weak),
        Err(_) => headers.remove(ETAG),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(fields: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    #[test]
    fn text_of_all_kinds_shrinks() {
        for (content_type, expected) in [
            ("application/json; charset=UTF-8", true),
            ("APPLICATION/JSON", true),
            ("application/javascript", true),
            ("application/problem+json", true),
            ("application/rss+xml;charset=x", true),
            ("text/html", true),
            ("text/plain;x=y", true),
            ("text/event-stream", false),
            ("image/png", false),
            ("application/octet-stream", false),
            ("application/zip", false),
            ("json", false),
            ("", false),
        ] {
            let headers = headers(&[("content-type", content_type)]);
            assert_eq!(eligible(StatusCode::OK, &headers), expected, "{content_type}");
        }
        assert!(!eligible(StatusCode::OK, &HeaderMap::new()));
    }

    #[test]
    fn only_whole_plain_answers_are_compressed() {
        let json = ("content-type", "application/json");
        let of = |status, fields: &[(&'static str, &str)]| {
            let mut all = vec![json];
            all.extend_from_slice(fields);
            eligible(StatusCode::from_u16(status).unwrap(), &headers(&all))
        };
        for (status, expected) in [
            (200, true),
            (201, true),
            (404, true),
            (503, true),
            (304, true),
            (101, false),
            (204, false),
            (205, false),
            (206, false),
        ] {
            assert_eq!(of(status, &[]), expected, "{status}");
        }
        assert!(!of(200, &[("content-encoding", "gzip")]));
        assert!(!of(200, &[("content-encoding", "identity")]));
        assert!(!of(200, &[("content-range", "bytes 0-1/2")]));
        assert!(!of(200, &[("cache-control", "private, No-Transform")]));
        assert!(of(200, &[("cache-control", "no-store")]));
    }

    #[test]
    fn a_compressed_form_has_a_weak_tag() {
        for (tag, expected) in [("\"x\"", "W/\"x\""), ("W/\"x\"", "W/\"x\"")] {
            let mut headers = headers(&[("etag", tag)]);
            weaken(&mut headers);
            assert_eq!(headers["etag"], expected);
        }
        let mut none = HeaderMap::new();
        weaken(&mut none);
        assert!(none.is_empty());
    }
}
