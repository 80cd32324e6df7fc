//! An envelope (`_envelope`): the status that the status of the response itself hides, and headers that are the edge's.

use bytes::Bytes;
use http::StatusCode;
use memchr::memmem;
use serde::Deserialize;

/// The needed part of an envelope; the rest is skipped.
#[derive(Deserialize)]
struct Envelope {
    status: u16,
}

/// The beginning of a member that is named like a header between the companion plugin and the edge. A quotation mark
/// within a text has a backslash before it, so a text never holds this.
const MARK: &[u8] = b"\"X-Calendar-Edge-";

/// The status that an envelope holds; `None` if the bytes are not an envelope.
pub(crate) fn enveloped_status(document: &[u8]) -> Option<StatusCode> {
    let envelope: Envelope = serde_json::from_slice(document).ok()?;
    StatusCode::from_u16(envelope.status).ok()
}

/// The document without the headers between the companion plugin and the edge (T-93). Plugins before version 0.3 give them
/// to WordPress, which writes them into envelopes.
pub(in crate::relay::check) fn without_marks(document: Bytes) -> Bytes {
    let mut left = document.as_ref();
    let mut kept = Vec::new();
    while let Some((before, after)) = first_mark(left) {
        kept.extend_from_slice(before);
        left = after;
    }
    if kept.is_empty() {
        return document;
    }
    kept.extend_from_slice(left);
    kept.into()
}

/// The bytes before and after the first such member, without one of the commas around it.
fn first_mark(document: &[u8]) -> Option<(&[u8], &[u8])> {
    let start = unescaped(document, MARK)?;
    let (before, member) = document.split_at(start);
    let name = member.get(1..)?.iter().position(|byte| *byte == b'"')? + 2;
    // The value is a number, with or without quotation marks.
    let end = member
        .iter()
        .skip(name)
        .position(|byte| matches!(byte, b',' | b'}'))?
        + name;
    let (_, after) = member.split_at(end);
    match after.strip_prefix(b",") {
        Some(after) => Some((before, after.trim_ascii_start())),
        None => Some((
            before.trim_ascii_end().strip_suffix(b",").unwrap_or(before),
            after,
        )),
    }
}

fn unescaped(document: &[u8], mark: &[u8]) -> Option<usize> {
    memmem::find_iter(document, mark).find(|&at| at == 0 || document.get(at - 1) != Some(&b'\\'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_status_of_an_envelope() {
        for (document, expected) in [
            (
                r#"{"body":{"status":"publish"},"status":401,"headers":[]}"#,
                Some(401),
            ),
            (r#"{"body":{"status":401},"headers":[]}"#, None),
            (r#"{"id":5,"status":"publish"}"#, None),
            ("", None),
        ] {
            let found = enveloped_status(document.as_bytes());
            assert_eq!(found.map(|status| status.as_u16()), expected, "{document}");
        }
    }

    #[test]
    fn headers_between_plugin_and_edge_are_taken_out() {
        let text = r#"{"body":"\"X-Calendar-Edge-Changes\":1,","headers":"#;
        for (headers, expected) in [
            (r#"{"X-Calendar-Edge-Changes":"7"}}"#, "{}}"),
            (
                r#"{"X-Calendar-Edge-Changes":7,"Allow":"GET"}}"#,
                r#"{"Allow":"GET"}}"#,
            ),
            (
                r#"{"Allow":"GET","X-Calendar-Edge-Changes":"7"}}"#,
                r#"{"Allow":"GET"}}"#,
            ),
            (
                r#"{"A":"1","X-Calendar-Edge-Changes":"7","X-Calendar-Edge-Begun":"0","B":"2"}}"#,
                r#"{"A":"1","B":"2"}}"#,
            ),
            (
                "{\n  \"A\": \"1\",\n  \"X-Calendar-Edge-Changes\": \"7\"\n}}",
                "{\n  \"A\": \"1\"}}",
            ),
            (r#"{"Allow":"GET"}}"#, r#"{"Allow":"GET"}}"#),
            (r#"{"X-Calendar-Edge-Cut"#, r#"{"X-Calendar-Edge-Cut"#),
        ] {
            let found = without_marks(Bytes::from(format!("{text}{headers}")));
            assert_eq!(found, format!("{text}{expected}"), "{headers}");
        }
    }
}
