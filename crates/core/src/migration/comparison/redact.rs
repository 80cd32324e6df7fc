//! Values as reports show them: short, and without personal data.

use serde_json::Value;

use super::node::Node;
use super::trail::Trail;

/// The most characters of a text that a report shows.
const LONGEST_TEXT: usize = 120;

/// The shortest run of digits that may be a telephone number or a secret.
const LONG_NUMBER: usize = 7;

/// Parts of names of members whose values are never shown.
const PRIVATE: [&str; 8] = [
    "address", "cookie", "email", "nonce", "password", "phone", "secret", "token",
];

/// The text of a report in place of an absent value.
pub(super) const ABSENT: &str = "(absent)";

/// A value as a report shows it.
pub(super) fn shown(node: &Node<'_>, trail: &Trail<'_>) -> Value {
    let is_private = trail.member_name().is_some_and(is_private);
    match node {
        Node::Null => Value::Null,
        Node::Bool(value) => Value::Bool(*value),
        Node::Number(_) | Node::Text(_) if is_private => Value::from("(redacted)"),
        Node::Number(number) => serde_json::from_str(number).unwrap_or_else(|_| text(number)),
        Node::Text(_) => text(&node.text().unwrap_or_default()),
        Node::List(items) => Value::from(format!("[{} items]", items.len())),
        Node::Map(members) => Value::from(format!("{{{} members}}", members.len())),
    }
}

/// A text as a report shows it.
pub(super) fn text(text: &str) -> Value {
    let beginning: String = text.chars().take(LONGEST_TEXT + 1).collect();
    let mut shown: String = masked(&beginning).chars().take(LONGEST_TEXT).collect();
    if beginning.chars().count() > LONGEST_TEXT {
        shown.push('…');
    }
    Value::from(shown)
}

/// Returns true for names of members and arguments whose values are never shown. An author is nothing secret.
pub(super) fn is_private(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let mut auth = name
        .match_indices("auth")
        .filter_map(|(place, auth)| name.get(place + auth.len()..));
    auth.any(|rest| !rest.starts_with("or") || rest.starts_with("oriz") || rest.starts_with("oris"))
        || PRIVATE.iter().any(|part| name.contains(part))
}

/// Hides words with an at sign, and long runs of digits.
fn masked(text: &str) -> String {
    let parts =
        text.split_inclusive(|letter: char| letter.is_whitespace() || matches!(letter, '<' | '>' | '"'));
    parts.map(masked_word).collect()
}

fn masked_word(word: &str) -> String {
    if word.contains('@') || word.contains("%40") || word.contains("&#64;") {
        let end = word.chars().next_back().filter(|last| !last.is_alphanumeric());
        return format!("…@…{}", end.map(String::from).unwrap_or_default());
    }
    let is_digit = u8::is_ascii_digit;
    let parts = word
        .as_bytes()
        .chunk_by(|one, next| is_digit(one) == is_digit(next));
    let shown = parts.map(|part| match part {
        [first, ..] if is_digit(first) && part.len() >= LONG_NUMBER => "…".into(),
        _ => String::from_utf8_lossy(part),
    });
    shown.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn personal_data_is_hidden() {
        for (text, expected) in [
            ("write to jane@b.example today", "write to …@… today"),
            ("<a href=\"mailto:jane%40b.example\">", "<a href=\"…@…\">"),
            ("+45 12345678", "+45 …"),
            ("2026-01-01 00:00:00", "2026-01-01 00:00:00"),
        ] {
            assert_eq!(super::text(text), expected);
        }
        let root = Trail::Root;
        let number = Node::Number("12345");
        for name in ["Phone", "auth", "oauth_key", "Authorization", "authenticated"] {
            assert_eq!(
                shown(&number, &Trail::Member(&root, name)),
                "(redacted)",
                "{name}"
            );
        }
        for name in ["author", "post_author", "co_authors"] {
            assert_eq!(shown(&number, &Trail::Member(&root, name)), 12345, "{name}");
        }
        assert_eq!(shown(&number, &Trail::Member(&root, "id")), 12345);
    }

    #[test]
    fn values_stay_short() {
        let shown = super::text(&"ü".repeat(100_000));
        assert_eq!(
            shown.as_str().map(|text| text.chars().count()),
            Some(LONGEST_TEXT + 1)
        );
    }
}
