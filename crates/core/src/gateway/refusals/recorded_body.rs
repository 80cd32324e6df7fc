//! The body of a refused request, as far as it may be kept.

use bytes::Bytes;
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use serde_json::Value;

use super::parameters::{self, REDACTED, holds_user_info, is_harmless};

/// Maximum bytes of a body that is kept.
const MOST_BYTES: usize = 4 * 1024;

/// The body of a request that is refused.
#[derive(Debug, Clone, Copy)]
pub enum DecidingBody<'a> {
    /// The head decides.
    None,
    /// It was left unread, though it could have decided.
    Left,
    /// It was read.
    Read(&'a Bytes),
}

/// The kept part of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordedPart {
    /// All of it, without its secrets; empty where there was none.
    Whole(Bytes),
    /// The head decided.
    Irrelevant,
    /// It was not read, though it could have decided.
    Unread,
    /// It is longer than what is kept.
    TooLarge,
    /// It may hold secrets, and cannot be read well enough to remove them.
    Withheld,
}

// === impl RecordedPart ===

impl RecordedPart {
    /// The kept part of a body; names of secrets are added to `names`.
    pub(super) fn of(headers: &HeaderMap, body: DecidingBody<'_>, names: &mut Vec<String>) -> Self {
        match body {
            DecidingBody::None => Self::Irrelevant,
            DecidingBody::Left => Self::Unread,
            DecidingBody::Read(body) => Self::of_read(headers, body, names),
        }
    }

    fn of_read(headers: &HeaderMap, body: &Bytes, names: &mut Vec<String>) -> Self {
        if body.len() > MOST_BYTES {
            return Self::TooLarge;
        }
        if is_form(headers) {
            return match parameters::redacted(body) {
                Some((text, secrets)) => {
                    names.extend(secrets);
                    Self::Whole(text.into())
                }
                None => Self::Whole(detached(body)),
            };
        }
        if body.is_empty() {
            return Self::Whole(Bytes::new());
        }
        match serde_json::from_slice(body) {
            Ok(mut json) => {
                let before = names.len();
                redact(&mut json, true, names);
                Self::Whole(if names.len() == before {
                    detached(body)
                } else {
                    json.to_string().into()
                })
            }
            Err(_) => Self::Withheld,
        }
    }

    /// The bytes of memory that it takes.
    pub(super) const fn len(&self) -> usize {
        match self {
            Self::Whole(body) => body.len(),
            Self::Irrelevant | Self::Unread | Self::TooLarge | Self::Withheld => 0,
        }
    }
}

/// A copy: the bytes that were received may be part of a larger block of memory.
fn detached(body: &Bytes) -> Bytes {
    Bytes::copy_from_slice(body)
}

fn is_form(headers: &HeaderMap) -> bool {
    let media_type = headers
        .get(CONTENT_TYPE)
        .map(|value| value.as_bytes().to_ascii_lowercase());
    media_type.is_some_and(|text| text.starts_with(b"application/x-www-form-urlencoded"))
}

/// Replaces what is not known to be harmless, and keeps its kind. The names of members that lose their value are added.
fn redact(json: &mut Value, is_known: bool, names: &mut Vec<String>) {
    match json {
        Value::Object(members) => {
            for (name, value) in members {
                let is_member_known = is_known && is_harmless(name.as_bytes());
                if is_known && !is_member_known && !value.is_null() {
                    names.push(name.clone());
                }
                redact(value, is_member_known, names);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| redact(item, is_known, names)),
        Value::String(text) if is_known && holds_user_info(text.as_bytes()) => {
            names.push("://".to_owned());
            REDACTED.clone_into(text);
        }
        Value::String(text) if !is_known => REDACTED.clone_into(text),
        Value::Number(number) if !is_known => *number = 0.into(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn kept(media_type: &'static str, body: &str) -> (RecordedPart, Vec<String>) {
        let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(media_type))]);
        let mut names = Vec::new();
        let kept = RecordedPart::of_read(&headers, &Bytes::copy_from_slice(body.as_bytes()), &mut names);
        (kept, names)
    }

    #[test]
    fn only_what_is_free_of_secrets_is_kept() {
        let json = "application/json";
        let form = "application/x-www-form-urlencoded; charset=UTF-8";
        let whole = |text: &str| RecordedPart::Whole(Bytes::copy_from_slice(text.as_bytes()));
        for (media_type, body, expected) in [
            (json, r#"{"title": "a"}"#, whole(r#"{"title": "a"}"#)),
            (
                json,
                r#"{"organizer":[{"Password":"x"}]}"#,
                whole(r#"{"organizer":[{"Password":"redacted"}]}"#),
            ),
            (
                json,
                r#"{"p\u0061ssword":"x"}"#,
                whole(r#"{"password":"redacted"}"#),
            ),
            (json, r#"{"password":"x""#, RecordedPart::Withheld),
            (json, r#"{"p\u0061ssword":"x""#, RecordedPart::Withheld),
            (json, r#"{"title":"x""#, RecordedPart::Withheld),
            (
                json,
                r#"{"jwt":"x","pin":17,"on":true,"venue":{"phone":"1","key":[{"a":"b"}]}}"#,
                whole(
                    r#"{"jwt":"redacted","pin":0,"on":true,"venue":{"phone":"1","key":[{"a":"redacted"}]}}"#,
                ),
            ),
            (
                json,
                r#"{"website":"https://u:p@a.example/"}"#,
                whole(r#"{"website":"redacted"}"#),
            ),
            (form, "page=1&pwd=x", whole("page=1&pwd=redacted")),
            (form, "search=password", whole("search=password")),
            (form, r#"{"jwt":"x"}"#, whole("redacted")),
            (
                "multipart/form-data; boundary=x",
                "--x name=\"password\"",
                RecordedPart::Withheld,
            ),
        ] {
            assert_eq!(kept(media_type, body).0, expected, "{body}");
        }
        assert_eq!(kept(form, "pwd=x").1, ["pwd"]);
        assert_eq!(kept(json, &"x".repeat(MOST_BYTES + 1)).0, RecordedPart::TooLarge);
    }
}
