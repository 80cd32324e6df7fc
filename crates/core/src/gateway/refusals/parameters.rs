//! Queries and forms with the values that are known to hold no secrets, and no others (T-89).

use std::collections::HashSet;
use std::sync::LazyLock;

use calendar_edge_judge::contract::global::{GLOBALS, PUBLIC_QUERY_VARIABLES, read_by_backend};
use calendar_edge_judge::contract::table;
use calendar_edge_judge::wordpress::payload::{Plus, decode};
use calendar_edge_judge::wordpress::value::split_once;

/// Stands for a value that is not kept.
pub(super) const REDACTED: &str = "redacted";

/// Declared names whose values are secrets.
const SECRETS: [&str; 2] = ["password", "_wpnonce"];

/// The longest name that is kept although it is not known, in bytes.
const LONGEST_NAME: usize = 64;

/// The names that the table and WordPress declare, but for [`SECRETS`].
static HARMLESS: LazyLock<HashSet<&'static [u8]>> = LazyLock::new(|| {
    let operations = table().operations().iter();
    let declared = operations.flat_map(|operation| {
        let arguments = operation.arguments.iter().map(|argument| argument.name);
        arguments.chain(read_by_backend(operation.id).iter().copied())
    });
    let global = GLOBALS.iter().map(|global| global.name);
    let names = declared.chain(global).chain(PUBLIC_QUERY_VARIABLES);
    names
        .filter(|name| !SECRETS.contains(name))
        .map(str::as_bytes)
        .collect()
});

/// Returns true if the values under a name are known to hold no secrets: `venue[phone]`, where PHP reads `venue` and
/// `phone`.
pub(super) fn is_harmless(name: &[u8]) -> bool {
    let mut parts = name.split(|byte| *byte == b'[');
    let known = |part: &[u8]| HARMLESS.contains(part);
    let is_key = |part: &[u8]| part.iter().all(u8::is_ascii_digit) || known(part);
    parts.next().is_some_and(known) && parts.all(|part| part.strip_suffix(b"]").is_some_and(is_key))
}

/// Returns true if a text holds the user info of a URL.
pub(super) fn holds_user_info(text: &[u8]) -> bool {
    let mut rest = text;
    while let Some(at) = rest.windows(3).position(|part| part == b"://") {
        rest = rest.get(at + 3..).unwrap_or_default();
        let authority = rest.split(|byte| matches!(byte, b'/' | b'?' | b'#' | b' '));
        if authority.take(1).any(|authority| authority.contains(&b'@')) {
            return true;
        }
    }
    false
}

/// A query or form without what is not known to be harmless, and the names of what was replaced; `None` where nothing was.
pub(super) fn redacted(text: &[u8]) -> Option<(Vec<u8>, Vec<String>)> {
    let mut names = Vec::new();
    let pairs: Vec<Vec<u8>> = text
        .split(|byte| *byte == b'&')
        .map(|pair| redacted_pair(pair, &mut names))
        .collect();
    (!names.is_empty()).then(|| (pairs.join(&b'&'), names))
}

fn redacted_pair(pair: &[u8], names: &mut Vec<String>) -> Vec<u8> {
    let (name, value) = split_once(pair, b'=').map_or((pair, None), |(name, value)| (name, Some(value)));
    let read = decode(name, Plus::Space);
    let is_kept = match value {
        None | Some([]) => is_plain(name),
        Some(value) => is_harmless(&read) && !holds_user_info(&decode(value, Plus::Space)),
    };
    if is_kept {
        return pair.to_vec();
    }
    let name = if is_plain(name) { name } else { REDACTED.as_bytes() };
    names.push(String::from_utf8_lossy(&decode(name, Plus::Space)).into_owned());
    match value {
        Some(_) => [name, REDACTED.as_bytes()].join(&b'='),
        None => name.to_vec(),
    }
}

/// Returns true for a name that is kept: a document that was sent as a form is none.
fn is_plain(name: &[u8]) -> bool {
    let is_name_byte = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-[]%+".contains(byte);
    name.len() <= LONGEST_NAME && name.iter().all(is_name_byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_declared_names_keep_their_values() {
        for (text, expected) in [
            ("page=2&search=password", None),
            ("password=x&page=2", Some("password=redacted&page=2")),
            ("p%61ssword=x", Some("p%61ssword=redacted")),
            (
                "a[PassWord]=x&_wpnonce=1",
                Some("a[PassWord]=redacted&_wpnonce=redacted"),
            ),
            ("api.key=x&api+key=y", Some("api.key=redacted&api+key=redacted")),
            (
                "pass=1&session=2&jwt=3&utm_source=4",
                Some("pass=redacted&session=redacted&jwt=redacted&utm_source=redacted"),
            ),
            (
                "venue[phone]=1&venue[0]=2&venue[token]=3",
                Some("venue[phone]=1&venue[0]=2&venue[token]=redacted"),
            ),
            (
                "website=https%3A%2F%2Fu%3Ap%40a.example%2F",
                Some("website=redacted"),
            ),
            ("website=https%3A%2F%2Fa.example%2F%40x", None),
            (r#"{"pin":"x"}"#, Some("redacted")),
            (r#"{"pin":"x=y"}"#, Some("redacted=redacted")),
            ("password=", None),
            ("password", None),
            ("", None),
        ] {
            let found = redacted(text.as_bytes()).map(|(text, _)| String::from_utf8(text).unwrap());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
