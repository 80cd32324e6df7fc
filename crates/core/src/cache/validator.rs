//! Entity tags, and the conditions of clients that already have a response (RFC 9110 section 13).

use http::header::IF_NONE_MATCH;
use http::{HeaderMap, HeaderValue};
use ring::digest::{SHA256, digest};

use crate::settings::mark_text::Hex;

/// The bytes of the digest that an entity tag shows: enough that no two bodies share one.
const SHOWN: usize = 16;

/// The strong entity tag of a body.
pub fn entity_tag(body: &[u8]) -> HeaderValue {
    let digest = digest(&SHA256, body);
    let shown = digest.as_ref().first_chunk::<SHOWN>().unwrap_or(&[0; SHOWN]);
    HeaderValue::try_from(format!("\"{}\"", Hex(shown))).unwrap_or_else(|_| HeaderValue::from_static("\"\""))
}

/// Returns true if `If-None-Match` names this entity tag or any. Codings of one response count as the same (weak comparison).
pub fn is_known(if_none_match: &HeaderValue, tag: &HeaderValue) -> bool {
    let known = if_none_match.as_bytes().trim_ascii();
    if known == b"*" {
        return true;
    }
    // A tag of the edge contains no comma.
    known
        .split(|byte| *byte == b',')
        .any(|item| opaque(item.trim_ascii()) == opaque(tag.as_bytes()))
}

/// The condition `If-None-Match` of a request. Several fields are one list (RFC 9110 section 5.3).
pub fn if_none_match(headers: &HeaderMap) -> Option<HeaderValue> {
    let fields = headers.get_all(IF_NONE_MATCH).iter();
    let values: Vec<&[u8]> = fields.map(HeaderValue::as_bytes).collect();
    match values.as_slice() {
        // The usual one is not copied.
        [] | [_] => headers.get(IF_NONE_MATCH).cloned(),
        several => HeaderValue::from_bytes(&several.join(&b", "[..])).ok(),
    }
}

fn opaque(tag: &[u8]) -> &[u8] {
    tag.strip_prefix(b"W/").unwrap_or(tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_names_one_body() {
        let tag = entity_tag(b"{}");
        assert_eq!(tag, entity_tag(b"{}"));
        assert_ne!(tag, entity_tag(b"[]"));
        assert_eq!(tag.len(), 34);
    }

    #[test]
    fn conditions_are_compared_weakly() {
        let tag = HeaderValue::from_static("\"ab\"");
        for (condition, expected) in [
            ("\"ab\"", true),
            ("W/\"ab\"", true),
            ("*", true),
            ("\"x\", \"ab\"", true),
            ("\"x\",W/\"ab\" ", true),
            ("\"abc\"", false),
            ("ab", false),
            ("", false),
        ] {
            assert_eq!(
                is_known(&HeaderValue::from_static(condition), &tag),
                expected,
                "{condition}"
            );
        }
    }
}
