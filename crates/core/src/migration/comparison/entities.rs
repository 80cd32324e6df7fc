//! Texts compared with their HTML entities decoded, and e-mail addresses that WordPress encodes at random.

use calendar_edge_judge::wordpress::html_entity;
use calendar_edge_judge::wordpress::payload::{Plus, decode};

/// Returns true if two texts read the same once entities are decoded.
///
/// `&lt;` and `&gt;` never equal the characters of a tag, and in texts with tags `&quot;` and `&#39;` never equal
/// the quotes that end an attribute.
pub(super) fn read_the_same(one: &str, other: &str) -> bool {
    one != other && letters(one).eq(letters(other))
}

/// Returns true if two texts with an e-mail address read the same once its encoding is undone.
///
/// `antispambot()` writes each letter at random as it is, as an entity, or with a percent sign in `mailto:` links.
pub(super) fn show_the_same_mail(one: &str, other: &str) -> bool {
    let both = [one, other].map(without_encoding);
    let [first, second] = &both;
    first == second && first.contains('@')
}

fn without_encoding(text: &str) -> String {
    // `esc_html()` encodes its result for `'` again, letter by letter: `&#039;` becomes `&#38;#&#48;39;`.
    let plain = decoded(&decoded(text));
    if plain.contains("mailto:") {
        return String::from_utf8_lossy(&decode(plain.as_bytes(), Plus::Literal)).into_owned();
    }
    plain
}

fn decoded(text: &str) -> String {
    letters(text)
        .map(|(letter, is_escaped)| {
            if is_escaped {
                format!("&#{};", u32::from(letter))
            } else {
                letter.to_string()
            }
        })
        .collect()
}

/// The letters of a text. One is escaped if it came as an entity and means something else than the plain character: `&lt;`
/// begins no tag.
fn letters(text: &str) -> impl Iterator<Item = (char, bool)> {
    let has_tags = text.contains('<');
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        if let Some((letter, behind)) = html_entity(rest) {
            rest = behind;
            let is_markup = matches!(letter, '<' | '>') || (has_tags && matches!(letter, '"' | '\''));
            return Some((letter, is_markup));
        }
        rest = rest.get(first.len_utf8()..).unwrap_or_default();
        Some((first, false))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_are_another_spelling() {
        for (one, other) in [
            ("Caf&eacute", "Caf&eacute"),
            ("K &amp; G", "K &#038; G"),
            ("K & G", "K &amp; G"),
            ("a &#8211; b", "a – b"),
            ("&quot;x&quot;", "\"x\""),
            ("a&nbsp;b", "a\u{a0}b"),
        ] {
            assert!(one == other || read_the_same(one, other), "{one} {other}");
        }
    }

    #[test]
    fn markup_is_not_text() {
        for (one, other) in [
            ("<b>", "&lt;b&gt;"),
            ("&amp;lt;b&gt;", "&lt;b&gt;"),
            ("<a title=\"&quot;x\">", "<a title=\"\"x\">"),
            ("K &amp; G", "K and G"),
        ] {
            assert!(!read_the_same(one, other), "{one} {other}");
            assert!(!show_the_same_mail(one, other), "{one} {other}");
        }
    }

    #[test]
    fn encoded_mail_addresses_are_decoded() {
        for (one, other) in [
            ("a@b.example", "&#97;&#64;b.example"),
            ("&#x61;@b.ex&#97;mple", "a&#64;b.example"),
            ("o&#039;brien@b.example", "o&#38;#&#48;39;brien&#64;b.example"),
            ("o'brien@b.example", "o&#38;&#35;039&#59;brien&#64;b.example"),
            (
                "<a href=\"mailto:%61@b.example\">a</a>",
                "<a href=\"mailto:a&#64;b.example\">a</a>",
            ),
        ] {
            assert!(show_the_same_mail(one, other), "{one} {other}");
        }
        assert!(!show_the_same_mail("a@b.example", "c&#64;b.example"));
        assert!(!show_the_same_mail(
            "o&#039;brien@b.example",
            "o&#38;#034;brien&#64;b.example"
        ));
        assert!(!show_the_same_mail("100%25", "100%"));
    }
}
