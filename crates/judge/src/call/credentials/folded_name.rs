//! An account name folded as WordPress and its database fold it: spellings of one account become one text.
//!
//! `sanitize_user` strips tags, accents, percent-encoded bytes and entities, and joins blanks. The database then compares
//! by `utf8mb4_unicode_520_ci`, which ignores case, accents and characters without weight.

use std::sync::LazyLock;

use icu_normalizer::DecomposingNormalizerBorrowed;
use regex_automata::meta::Regex;

use crate::wordpress::expression;

/// Folds a name as it was sent. Bytes that are no UTF-8 are dropped.
pub(super) fn fold(name: &[u8]) -> String {
    if name.iter().copied().all(is_plain) {
        return name
            .iter()
            .map(|byte| char::from(byte.to_ascii_lowercase()))
            .collect();
    }
    let text = String::from_utf8_lossy(name).replace(char::REPLACEMENT_CHARACTER, "");
    let text = without_accents(&without_tags(&text));
    let text = DROPPED.iter().fold(text, |text, dropped| without(dropped, &text));
    let words: Vec<&str> = text.split_whitespace().collect();
    let joined: String = words.join(" ");
    joined.chars().filter(|letter| has_weight(*letter)).collect()
}

/// Characters of most names, of which nothing is dropped.
const fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'@')
}

/// Drops what is between angle brackets, and what follows one that is not closed. With a script or a style, its content.
fn without_tags(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::with_capacity(text.len());
    while let Some((before, tag)) = rest.split_once('<') {
        kept.push_str(before);
        let Some((inside, after)) = tag.split_once('>') else {
            return kept;
        };
        rest = ["script", "style"]
            .into_iter()
            .find_map(|element| after_element(element, inside, after))
            .unwrap_or(after);
    }
    kept.push_str(rest);
    kept
}

/// The text behind the end of an element, if the tag is its beginning and it ends.
fn after_element<'a>(element: &str, tag: &str, after: &'a str) -> Option<&'a str> {
    tag.get(..element.len())
        .filter(|name| name.eq_ignore_ascii_case(element))?;
    let end = format!("</{element}>");
    let at = after.to_ascii_lowercase().find(&end)?;
    after.get(at + end.len()..)
}

/// Decomposes letters, drops their marks, and takes the letter that WordPress takes for those that have no parts.
fn without_accents(text: &str) -> String {
    let decomposed = DecomposingNormalizerBorrowed::new_nfkd();
    let text = decomposed.normalize(text).to_lowercase();
    // Letters in lower case may have marks of their own.
    let mut plain = String::with_capacity(text.len());
    for letter in decomposed.normalize(&text).chars() {
        match letter {
            '\u{300}'..='\u{36f}' => {}
            'ß' => plain.push_str("ss"),
            'æ' => plain.push_str("ae"),
            'œ' => plain.push_str("oe"),
            'þ' => plain.push_str("th"),
            'ð' | 'đ' => plain.push('d'),
            'ħ' => plain.push('h'),
            'ı' => plain.push('i'),
            'ł' => plain.push('l'),
            'ŋ' => plain.push('n'),
            'ø' => plain.push('o'),
            'ŧ' => plain.push('t'),
            other => plain.push(other),
        }
    }
    plain
}

/// The parts that `sanitize_user` drops behind tags and accents: bytes in percent-encoding, then entities, up to the semicolon
/// behind at least one character of the same line.
static DROPPED: LazyLock<[Regex; 2]> = LazyLock::new(|| ["%[a-fA-F0-9]{2}", "&[^\n]+?;"].map(expression));

fn without(dropped: &Regex, text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for found in dropped.find_iter(text) {
        kept.push_str(text.get(from..found.start()).unwrap_or_default());
        from = found.end();
    }
    kept + text.get(from..).unwrap_or_default()
}

/// False for controls and for what has no width, which the collation passes over.
fn has_weight(letter: char) -> bool {
    !letter.is_control()
        && !matches!(
            letter,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_account_fold_to_one_name() {
        for name in [
            "admin",
            "Admin",
            "  ADMIN\t",
            "\u{e0}dm\u{ed}n",
            "a\u{300}dmin",
            "\u{ff21}\u{ff44}min",
            "ad%00min",
            "%41admin",
            "ad&amp;min",
            "ad&#x6d;min",
            "<b>ad</b>min",
            "admin<b",
            "<script>x</script>admin",
            "ad\u{200b}min",
            "admin\0",
            "ad\u{1}min",
            "adm\u{131}n",
        ] {
            assert_eq!(fold(name.as_bytes()), "admin", "{name:?}");
        }
        assert_eq!(fold(b"ad\xffmin"), "admin");
        assert_eq!(fold("Stra\u{df}e \u{2003} \u{c6}".as_bytes()), "strasse ae");
    }

    #[test]
    fn other_accounts_stay_others() {
        for (name, folded) in [
            ("admin2", "admin2"),
            ("ad min", "ad min"),
            ("a+b", "a+b"),
            ("a%b", "a%b"),
            ("a & b", "a & b"),
            ("a&;b", "a&;b"),
            ("\u{430}dmin", "\u{430}dmin"),
            ("", ""),
        ] {
            assert_eq!(fold(name.as_bytes()), folded, "{name:?}");
        }
    }
}
