//! JSON as PHP's `json_encode` writes it: `\/`, `\uXXXX`, four blanks of indentation.

use std::fmt::Write;

use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};

/// Serialises a value byte for byte as `json_encode` would, indented if `_pretty` was sent.
pub fn to_php_json(value: &serde_json::Value, is_pretty: bool) -> Vec<u8> {
    let json = serialised(value, is_pretty);
    let mut escaped = String::with_capacity(json.len() + json.len() / 8);
    let mut rest = json.as_str();
    // Slashes and letters beyond ASCII stand only within texts.
    while let Some(at) = rest.bytes().position(|byte| byte == b'/' || !byte.is_ascii()) {
        let (plain, special) = rest.split_at(at);
        escaped.push_str(plain);
        let mut letters = special.chars();
        match letters.next() {
            Some(letter) if letter != '/' => {
                for unit in letter.encode_utf16(&mut [0; 2]) {
                    let _ = write!(escaped, "\\u{unit:04x}");
                }
            }
            _ => escaped.push_str("\\/"),
        }
        rest = letters.as_str();
    }
    escaped.push_str(rest);
    escaped.into_bytes()
}

fn serialised(value: &serde_json::Value, is_pretty: bool) -> String {
    let mut json = Vec::with_capacity(256);
    let written = if is_pretty {
        let layout = PrettyFormatter::with_indent(b"    ");
        value.serialize(&mut Serializer::with_formatter(&mut json, layout))
    } else {
        serde_json::to_writer(&mut json, value)
    };
    written.expect("a JSON value in memory always serialises");
    String::from_utf8(json).expect("JSON is UTF-8")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn escapes_slashes_and_everything_beyond_ascii() {
        let value = json!({"a/b": "é🎉\n\u{7f}", "empty": [], "none": {}});
        let expected = "{\"a\\/b\":\"\\u00e9\\ud83c\\udf89\\n\u{7f}\",\"empty\":[],\"none\":{}}";
        assert_eq!(to_php_json(&value, false), expected.as_bytes());
    }

    #[test]
    fn indents_by_four_blanks() {
        let value = json!({"data": {"status": 400, "details": []}});
        let expected = "{\n    \"data\": {\n        \"status\": 400,\n        \"details\": []\n    }\n}";
        assert_eq!(to_php_json(&value, true), expected.as_bytes());
    }
}
