//! Addresses with arguments, as WordPress's `add_query_arg` writes them: new values as they are, old ones encoded again.

use std::fmt::Write;

use calendar_edge_judge::wordpress::payload::parse_form;
use calendar_edge_judge::wordpress::value::{KeyRef, Value};

use super::ask::Ask;

/// Sets arguments of an address. None takes an argument away.
///
/// # Errors
///
/// [`Ask::Value`] where the address has nested arguments, or bytes that are no text.
pub(super) fn with_arguments(address: &str, new: &[(&str, Option<String>)]) -> Result<String, Ask> {
    let (address, fragment) = match address.find('#') {
        Some(at) => address.split_at(at),
        None => (address, ""),
    };
    let (base, query) = address.split_once('?').unwrap_or((address, ""));
    let mut pairs: Vec<(String, Option<String>)> = Vec::new();
    for (key, value) in parse_form(query.as_bytes()).entries() {
        let (KeyRef::Text(name), Value::String(value)) = (key, value) else {
            return Err(Ask::Value);
        };
        let name = std::str::from_utf8(name).map_err(|_| Ask::Value)?;
        pairs.push((name.to_owned(), Some(encoded(value))));
    }
    for (name, value) in new {
        match pairs.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => old.clone_from(value),
            None => pairs.push(((*name).to_owned(), value.clone())),
        }
    }
    let pairs = pairs
        .iter()
        .filter_map(|(name, value)| Some(format!("{name}={}", value.as_ref()?)));
    let query = pairs.collect::<Vec<_>>().join("&");
    let query = query.trim_matches('?').replace("=&", "&");
    let query = query.strip_suffix('=').unwrap_or(&query);
    let written = [base, "?", query, fragment].concat();
    Ok(written.trim_end_matches('?').replace("?#", "#"))
}

/// PHP's `urlencode`.
fn encoded(value: &[u8]) -> String {
    let mut text = String::with_capacity(value.len());
    for byte in value {
        match byte {
            b' ' => text.push('+'),
            b'-' | b'_' | b'.' => text.push(char::from(*byte)),
            _ if byte.is_ascii_alphanumeric() => text.push(char::from(*byte)),
            _ => {
                let _ = write!(text, "%{byte:02X}");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(address: &str, name: &str, value: Option<&str>) -> String {
        with_arguments(address, &[(name, value.map(str::to_owned))]).unwrap()
    }

    #[test]
    fn new_values_stand_as_they_are_and_old_ones_are_encoded_again() {
        for (address, name, value, expected) in [
            (
                "https://x/e/",
                "search",
                Some("a b&c=é"),
                "https://x/e/?search=a b&c=é",
            ),
            (
                "https://x/e/?search=a b+~*é",
                "page",
                Some("2"),
                "https://x/e/?search=a+b+%7E%2A%C3%A9&page=2",
            ),
            (
                "https://x/e/?page=2&b=1",
                "page",
                Some("3"),
                "https://x/e/?page=3&b=1",
            ),
            ("https://x/e/?page=2&b=1", "page", None, "https://x/e/?b=1"),
            ("https://x/e/?page=2", "page", None, "https://x/e/"),
            ("https://x/e/?a=&b=", "c", Some(""), "https://x/e/?a&b&c"),
            ("https://x/e/?a=x?", "page", None, "https://x/e/?a=x%3F"),
            ("https://x/e/", "a", Some("x?"), "https://x/e/?a=x"),
            ("https://x/e/?a=1#b=2", "c", Some("3"), "https://x/e/?a=1&c=3#b=2"),
            (
                "https://x/e/?rest_route=/t/v1/",
                "c",
                Some("3"),
                "https://x/e/?rest_route=%2Ft%2Fv1%2F&c=3",
            ),
        ] {
            assert_eq!(set(address, name, value), expected);
        }
        assert_eq!(with_arguments("https://x/?a[b]=1", &[]), Err(Ask::Value));
        assert_eq!(with_arguments("https://x/?a=1&7=1", &[]), Err(Ask::Value));
    }
}
