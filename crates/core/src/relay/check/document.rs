//! The test that bytes are exactly one JSON document.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::scan::is_surely_document;
use crate::relay::failure::OriginFailure;
use crate::simd;

/// Removes the white space that JSON allows around a document.
pub(in crate::relay) fn trimmed(bytes: &[u8]) -> &[u8] {
    let mut trimmed = bytes;
    while let [b' ' | b'\t' | b'\r' | b'\n', rest @ ..] | [rest @ .., b' ' | b'\t' | b'\r' | b'\n'] = trimmed
    {
        trimmed = rest;
    }
    trimmed
}

/// The bytes behind byte order marks and the white space around those; all bytes where no mark precedes.
///
/// Each file of a site that begins with a mark prints one before the document. A reader of JSON may ignore it, and most
/// do not (RFC 8259 section 8.1).
pub fn without_byte_order_marks(bytes: &[u8]) -> &[u8] {
    let mut behind = bytes;
    while let Some(rest) = trimmed(behind).strip_prefix(b"\xef\xbb\xbf") {
        behind = rest;
    }
    behind
}

/// True if a JSON value can begin with this byte.
pub(super) const fn begins_json(byte: u8) -> bool {
    matches!(byte, b'{' | b'[' | b'"' | b't' | b'f' | b'n' | b'-' | b'0'..=b'9')
}

/// True if a document that begins and ends like this has both ends of a list of the calendar, so that it needs no reading.
///
/// WordPress encodes a list whole before it prints its first byte. Text before it or behind it, an early end or a second
/// document shows at an end, and only the end of a list has its totals.
pub(super) fn is_surely_list(first: &[u8], last: &[u8]) -> bool {
    const BEGINNINGS: [&[u8]; 3] = [b"{\"events\":[{", b"{\"venues\":[{", b"{\"organizers\":[{"];
    let is_list = BEGINNINGS.iter().any(|beginning| first.starts_with(beginning));
    is_list && before_totals(last).is_some()
}

/// The bytes before the totals with which a list ends.
fn before_totals(document: &[u8]) -> Option<&[u8]> {
    let rest = document.strip_suffix(b"}")?;
    before_number(rest)?
        .strip_suffix(b",\"total_pages\":")
        .and_then(before_number)?
        .strip_suffix(b",\"total\":")
}

/// The bytes before the digits with which these end.
fn before_number(bytes: &[u8]) -> Option<&[u8]> {
    let digits = bytes
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    (digits > 0).then(|| bytes.split_at(bytes.len() - digits).0)
}

/// Reads a document to its end. It must be UTF-8 (RFC 8259 8.1).
pub(super) fn judge_document(document: &[u8]) -> Result<(), OriginFailure> {
    // ASCII, as WordPress prints it, is seen faster than UTF-8.
    if !simd::is_ascii(document) && std::str::from_utf8(document).is_err() {
        return Err(OriginFailure::Malformed);
    }
    if is_surely_document(document) {
        return Ok(());
    }
    let mut reader = serde_json::Deserializer::from_slice(document);
    if let Err(error) = IgnoredAny::deserialize(&mut reader) {
        return Err(if error.is_eof() {
            OriginFailure::Truncated
        } else {
            OriginFailure::Malformed
        });
    }
    reader.end().map_err(|_| OriginFailure::TextAfterJson)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(document: &[u8]) -> &'static str {
        judge_document(document).map_or_else(|failure| failure.name(), |()| "passes")
    }

    #[test]
    fn each_broken_document_has_its_own_failure() {
        for (document, name) in [
            (r#"{"a":[1,{"b":"\u00e9\ud800"}]}"#, "passes"),
            ("-1.5e9 ", "passes"),
            ("{\"a\":[1,", "truncated"),
            ("{\"a\":\"x", "truncated"),
            ("{}<!-- cached -->", "text_after_json"),
            ("{}{}", "text_after_json"),
            ("{a}", "malformed"),
            ("nope", "malformed"),
        ] {
            assert_eq!(verdict(document.as_bytes()), name, "{document}");
        }
    }

    #[test]
    fn only_whole_lists_of_the_calendar_need_no_reading() {
        let is_surely_list = |document: &str| is_surely_list(document.as_bytes(), document.as_bytes());
        let list = r#"{"events":[{"id":1}],"rest_url":"a","total":12,"total_pages":2}"#;
        assert!(is_surely_list(list));
        for end in 0..list.len() {
            assert!(!is_surely_list(list.split_at(end).0), "{end}");
        }
        for other in [
            r#"{"events":[],"total":0,"total_pages":0}"#,
            r#"{"id":5,"total":1,"total_pages":1}"#,
            r#"{"events":[{"id":1}],"total":1,"total_pages":1}{"code":"internal_server_error"}"#,
            r#"{"events":[{"id":1}],"total":1,"total_pages":}"#,
            r#"{"events":[{"id":1,"total":1,"total_pages":1,"x":"#,
        ] {
            assert!(!is_surely_list(other), "{other}");
        }
    }

    #[test]
    fn nesting_costs_no_stack() {
        let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
        assert_eq!(verdict(deep.as_bytes()), "passes");
    }

    #[test]
    fn bytes_that_are_not_utf8_are_not_a_document() {
        assert_eq!(verdict(b"\"\xff\""), "malformed");
        assert_eq!(verdict("\"\u{20ac}\"".as_bytes()), "passes");
    }

    #[test]
    fn byte_order_marks_are_no_part_of_a_document() {
        for (bytes, document) in [
            ("\u{feff}{}", "{}"),
            ("\u{feff}\n\u{feff} {}", "{}"),
            (" {}\n", " {}\n"),
            ("x\u{feff}{}", "x\u{feff}{}"),
        ] {
            let behind = without_byte_order_marks(bytes.as_bytes());
            assert_eq!(trimmed(behind), trimmed(document.as_bytes()), "{bytes:?}");
        }
    }

    #[test]
    fn only_the_white_space_of_json_is_trimmed() {
        assert_eq!(trimmed(b" \r\n\t[ ] \n"), b"[ ]");
        assert_eq!(trimmed(b"\x0c[]"), b"\x0c[]");
        assert_eq!(trimmed(b" \n"), b"");
    }
}
