//! JSON as PHP's `json_encode` writes it: `\/`, `\uXXXX`, four blanks of indentation.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};

/// The layout of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// No white space.
    #[default]
    Compact,
    /// The layout that `_pretty` asks for.
    Pretty,
}

/// Serialises a value byte for byte as `json_encode` would.
pub fn to_php_json(value: &serde_json::Value, layout: Layout) -> Vec<u8> {
    match layout {
        Layout::Compact => write(value, CompactFormatter),
        Layout::Pretty => write(value, PrettyFormatter::with_indent(b"    ")),
    }
}

fn write(value: &serde_json::Value, formatter: impl Formatter) -> Vec<u8> {
    let mut json = Vec::with_capacity(128);
    let mut serializer = Serializer::with_formatter(&mut json, PhpEscapes { inner: formatter });
    value
        .serialize(&mut serializer)
        .expect("a JSON value in memory always serialises");
    json
}

/// The layout of another formatter with PHP's escapes.
struct PhpEscapes<F> {
    inner: F,
}

macro_rules! delegate {
    ($($method:ident($($argument:ident: $type:ty),*);)*) => {$(
        fn $method<W: ?Sized + Write>(&mut self, writer: &mut W $(, $argument: $type)*) -> io::Result<()> {
            self.inner.$method(writer $(, $argument)*)
        }
    )*};
}

impl<F: Formatter> Formatter for PhpEscapes<F> {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        for character in fragment.chars() {
            match character {
                '/' => writer.write_all(b"\\/")?,
                ' '..='\u{7f}' => writer.write_all(&[character as u8])?,
                _ => {
                    for unit in character.encode_utf16(&mut [0; 2]) {
                        write!(writer, "\\u{unit:04x}")?;
                    }
                }
            }
        }
        Ok(())
    }

    delegate! {
        begin_array();
        end_array();
        begin_array_value(first: bool);
        end_array_value();
        begin_object();
        end_object();
        begin_object_key(first: bool);
        end_object_key();
        begin_object_value();
        end_object_value();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn escapes_slashes_and_everything_beyond_ascii() {
        let value = json!({"a/b": "é🎉\n\u{7f}", "empty": [], "none": {}});
        let expected = "{\"a\\/b\":\"\\u00e9\\ud83c\\udf89\\n\u{7f}\",\"empty\":[],\"none\":{}}";
        assert_eq!(to_php_json(&value, Layout::Compact), expected.as_bytes());
    }

    #[test]
    fn indents_by_four_blanks() {
        let value = json!({"data": {"status": 400, "details": []}});
        let expected = "{\n    \"data\": {\n        \"status\": 400,\n        \"details\": []\n    }\n}";
        assert_eq!(to_php_json(&value, Layout::Pretty), expected.as_bytes());
    }
}
