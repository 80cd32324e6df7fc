//! Queries and forms without the values of parameters that carry secrets.

use calendar_edge_judge::wordpress::payload::{Plus, decode};
use calendar_edge_judge::wordpress::value::split_once;

/// Stands for a secret.
pub(super) const REDACTED: &str = "redacted";

/// Words in the name of a parameter, a member or a header that make its value a secret.
const SECRET_WORDS: [&[u8]; 9] = [
    b"password",
    b"passwd",
    b"pwd",
    b"nonce",
    b"token",
    b"secret",
    b"apikey",
    b"api_key",
    b"signature",
];

/// Returns true if the value under this name is a secret.
pub(super) fn is_secret(name: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    holds_secret_word(&name)
}

/// Returns true if a text in lower case holds a word that names secrets.
pub(super) fn holds_secret_word(text: &[u8]) -> bool {
    SECRET_WORDS
        .iter()
        .any(|word| text.windows(word.len()).any(|part| part == *word))
}

/// A query or form with its secrets replaced, and the names of the parameters that held them; `None` where there are
/// none.
pub(super) fn redacted(text: &[u8]) -> Option<(Vec<u8>, Vec<String>)> {
    let mut names = Vec::new();
    let pairs: Vec<Vec<u8>> = text
        .split(|byte| *byte == b'&')
        .map(|pair| redacted_pair(pair, &mut names))
        .collect();
    (!names.is_empty()).then(|| (pairs.join(&b'&'), names))
}

fn redacted_pair(pair: &[u8], names: &mut Vec<String>) -> Vec<u8> {
    let Some((name, value)) = split_once(pair, b'=') else {
        return pair.to_vec();
    };
    let read = decode(name, Plus::Space);
    if value.is_empty() || !is_secret(&read) {
        return pair.to_vec();
    }
    names.push(String::from_utf8_lossy(&read).into_owned());
    [name, REDACTED.as_bytes()].join(&b'=')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_known_by_the_name_that_php_reads() {
        for (text, expected) in [
            ("page=2&search=password", None),
            ("password=x&page=2", Some("password=redacted&page=2")),
            ("p%61ssword=x", Some("p%61ssword=redacted")),
            (
                "a[PassWord]=x&_wpnonce=1",
                Some("a[PassWord]=redacted&_wpnonce=redacted"),
            ),
            ("password=", None),
            ("password", None),
            ("", None),
        ] {
            let found = redacted(text.as_bytes()).map(|(text, _)| String::from_utf8(text).unwrap());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
