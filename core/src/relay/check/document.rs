//! The test that bytes are exactly one JSON document.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::scan::is_surely_document;
use crate::relay::failure::OriginFailure;
use crate::simd;

/// Removes the white space that JSON allows around a document.
pub(super) fn trimmed(bytes: &[u8]) -> &[u8] {
    let mut trimmed = bytes;
    while let [b' ' | b'\t' | b'\r' | b'\n', rest @ ..] | [rest @ .., b' ' | b'\t' | b'\r' | b'\n'] = trimmed
    {
        trimmed = rest;
    }
    trimmed
}

/// True if a JSON value can begin with this byte.
pub(super) const fn begins_json(byte: u8) -> bool {
    matches!(byte, b'{' | b'[' | b'"' | b't' | b'f' | b'n' | b'-' | b'0'..=b'9')
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
    fn only_the_white_space_of_json_is_trimmed() {
        assert_eq!(trimmed(b" \r\n\t[ ] \n"), b"[ ]");
        assert_eq!(trimmed(b"\x0c[]"), b"\x0c[]");
        assert_eq!(trimmed(b" \n"), b"");
    }
}
