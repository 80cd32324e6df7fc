//! Writing of values: as JSON for bodies, as pairs for queries.

use super::php::Value;
use super::php_array::PhpArray;

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
    let (open, close) = if array.is_list() {
        (b'[', b']')
    } else {
        (b'{', b'}')
    };
    json.push(open);
    for (position, (key, value)) in array.entries().enumerate() {
        if position > 0 {
            json.push(b',');
        }
        if !array.is_list() {
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

/// Appends `name=value` pairs to a query: arrays with explicit keys, in values only what must be escaped.
pub fn write_query(name: &str, value: &Value, query: &mut String) {
    match value {
        Value::Array(array) if array.is_empty() => {}
        Value::Array(array) => {
            for (key, inner) in array.entries() {
                let mut inside = String::new();
                write_escaped(&key.to_bytes(), &mut inside);
                write_query(&format!("{name}%5B{inside}%5D"), inner, query);
            }
        }
        Value::Null => {}
        Value::Bool(flag) => write_pair(name, if *flag { b"1" } else { b"" }, query),
        Value::Number(number) => write_pair(name, number.as_str().as_bytes(), query),
        Value::String(text) => write_pair(name, text, query),
    }
}

fn write_pair(name: &str, value: &[u8], query: &mut String) {
    if !query.is_empty() {
        query.push('&');
    }
    query.push_str(name);
    query.push('=');
    write_percent_encoded(value, is_plain_in_query, query);
}

/// Percent-encodes everything but unreserved characters (RFC 3986 section 2.3).
pub fn write_escaped(bytes: &[u8], text: &mut String) {
    write_percent_encoded(bytes, is_unreserved, text);
}

/// Percent-encodes what is not plain.
#[expect(clippy::indexing_slicing, reason = "sixteen digits for four bits")]
fn write_percent_encoded(bytes: &[u8], is_plain: impl Fn(u8) -> bool, text: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for &byte in bytes {
        if is_plain(byte) {
            text.push(char::from(byte));
        } else {
            text.push('%');
            text.push(char::from(DIGITS[usize::from(byte >> 4)]));
            text.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
    }
}

/// True for bytes that a query may hold (RFC 3986 section 3.4) and that PHP reads as themselves in a value: all but
/// `&`, `+`, `=` and percent signs, and `'`, which the URL standard escapes. Encoded commas would double the length of
/// a list of ids, and web servers limit the request line.
const fn is_plain_in_query(byte: u8) -> bool {
    is_unreserved(byte)
        || matches!(
            byte,
            b'!' | b'$' | b'(' | b')' | b'*' | b',' | b'/' | b':' | b';' | b'?' | b'@'
        )
}

/// Letters, digits, `-`, `.`, `_` and `~`.
pub const fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

#[cfg(test)]
mod tests {
    use super::super::php::Key;
    use super::*;
    use proptest::prelude::*;

    fn query(text: &[u8]) -> String {
        let mut query = String::new();
        write_query("a", &Value::text(text), &mut query);
        query
    }

    #[test]
    fn values_keep_what_a_query_may_hold() {
        for (text, expected) in [
            ("1,2,3", "a=1,2,3"),
            ("2027-01-15 10:00:00", "a=2027-01-15%2010:00:00"),
            ("-_.~!$()*,/:;?@", "a=-_.~!$()*,/:;?@"),
            ("&+='%#[]", "a=%26%2B%3D%27%25%23%5B%5D"),
            ("\"<>\\^`{|}\0\u{e9}", "a=%22%3C%3E%5C%5E%60%7B%7C%7D%00%C3%A9"),
        ] {
            assert_eq!(query(text.as_bytes()), expected);
        }
    }

    #[test]
    fn keys_are_escaped_whole() {
        let mut list = PhpArray::from_distinct(Vec::new());
        list.insert(Key::Text(b"x,[]".to_vec().into()), Value::text("1,2"));
        let mut query = String::new();
        write_query("a", &Value::Array(list), &mut query);
        assert_eq!(query, "a%5Bx%2C%5B%5D%5D=1,2");
    }

    proptest! {
        #[test]
        fn url_readers_leave_it_as_it_is(text: Vec<u8>) {
            let sent = query(&text);
            let mut url = url::Url::parse("http://h.example/").expect("a URL");
            url.set_query(Some(&sent));
            prop_assert_eq!(url.query(), Some(sent.as_str()));
        }
    }
}
