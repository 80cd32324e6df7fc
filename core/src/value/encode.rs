//! Writing of values: as JSON for bodies, as pairs for queries.

use super::php::{KeyRef, Value};
use super::php_array::{ArrayKind, PhpArray};

/// The error for a text that is not UTF-8, which JSON cannot represent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the text is not valid UTF-8")]
pub struct NotUtf8;

/// Returns the value as compact JSON: numbers in their original spelling, lists as `[…]`, maps as `{…}`.
///
/// # Errors
///
/// [`NotUtf8`] if a text or key is not UTF-8.
pub fn to_json(value: &Value) -> Result<Vec<u8>, NotUtf8> {
    let mut json = Vec::new();
    write_json(value, &mut json)?;
    Ok(json)
}

/// Does the same as [`to_json`], but appends to a buffer.
///
/// # Errors
///
/// [`NotUtf8`] if a text or key is not UTF-8; the buffer then holds a part of the value.
pub fn write_json(value: &Value, json: &mut Vec<u8>) -> Result<(), NotUtf8> {
    match value {
        Value::Null => json.extend_from_slice(b"null"),
        Value::Bool(true) => json.extend_from_slice(b"true"),
        Value::Bool(false) => json.extend_from_slice(b"false"),
        Value::Number(number) => json.extend_from_slice(number.as_str().as_bytes()),
        Value::String(text) => write_json_text(text, json)?,
        Value::Array(array) => write_json_array(array, json)?,
    }
    Ok(())
}

fn write_json_array(array: &PhpArray, json: &mut Vec<u8>) -> Result<(), NotUtf8> {
    let (open, close) = match array.kind() {
        ArrayKind::List => (b'[', b']'),
        ArrayKind::Map => (b'{', b'}'),
    };
    json.push(open);
    for (position, (key, value)) in array.entries().enumerate() {
        if position > 0 {
            json.push(b',');
        }
        if array.kind() == ArrayKind::Map {
            write_json_text(&key.to_bytes(), json)?;
            json.push(b':');
        }
        write_json(value, json)?;
    }
    json.push(close);
    Ok(())
}

/// Appends a JSON string, including its quotes.
///
/// # Errors
///
/// [`NotUtf8`] if the text is not UTF-8.
pub fn write_json_text(text: &[u8], json: &mut Vec<u8>) -> Result<(), NotUtf8> {
    let text = std::str::from_utf8(text).map_err(|_| NotUtf8)?;
    // A string can always be serialised, and writing to memory cannot fail.
    serde_json::to_writer(json, text).map_err(|_| NotUtf8)
}

/// Appends `name=value` pairs to a query: arrays with explicit keys, every reserved byte escaped.
pub fn write_query(name: &str, value: &Value, query: &mut String) {
    match value {
        Value::Array(array) if array.is_empty() => {}
        Value::Array(array) => {
            for (key, inner) in array.entries() {
                write_query(&format!("{name}%5B{}%5D", key_text(key)), inner, query);
            }
        }
        Value::Null => {}
        Value::Bool(flag) => write_pair(name, if *flag { b"1" } else { b"" }, query),
        Value::Number(number) => write_pair(name, number.as_str().as_bytes(), query),
        Value::String(text) => write_pair(name, text, query),
    }
}

fn key_text(key: KeyRef<'_>) -> String {
    let mut text = String::new();
    write_escaped(&key.to_bytes(), &mut text);
    text
}

fn write_pair(name: &str, value: &[u8], query: &mut String) {
    if !query.is_empty() {
        query.push('&');
    }
    query.push_str(name);
    query.push('=');
    write_escaped(value, query);
}

/// Percent-encodes all bytes except unreserved characters (RFC 3986 section 2.3).
#[expect(clippy::indexing_slicing, reason = "sixteen digits for four bits")]
pub fn write_escaped(bytes: &[u8], text: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for &byte in bytes {
        if is_unreserved(byte) {
            text.push(char::from(byte));
        } else {
            text.push('%');
            text.push(char::from(DIGITS[usize::from(byte >> 4)]));
            text.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
    }
}

/// True for letters, digits, `-`, `.`, `_` and `~`.
pub const fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}
