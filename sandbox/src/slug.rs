//! Slugs as WordPress makes them from titles and looks them up.

use calendar_edge_judge::wordpress::payload::{Plus, decode};

/// The longest slug in bytes, counted after percent-encoding.
const LONGEST: usize = 200;

/// The slug of a title or of a slug that a client asked for: accents folded, the rest percent-encoded.
pub(super) fn from_title(title: &str) -> String {
    let folded: String = title.chars().flat_map(fold).collect();
    dashes(&strip_tags(&folded).replace('/', "-"))
}

/// The stored slug that a by-slug path or parameter asks for: decoded once more, accents kept.
pub(super) fn from_request(asked: &str) -> String {
    let decoded = decode(asked.as_bytes(), Plus::Space);
    let mut slug = String::new();
    let text = String::from_utf8_lossy(&decoded).to_lowercase();
    for character in text.trim_matches('/').chars() {
        match character {
            'a'..='z' | '0'..='9' | '_' => slug.push(character),
            ' ' | '.' | '-' => dash(&mut slug),
            '~' => {}
            // Encoded, what no slug holds finds nothing; dropped, it would find another record.
            _ => encode(character, &mut slug),
        }
    }
    slug.trim_matches('-').to_owned()
}

/// Whether a by-slug request names a parent path, which no calendar record has.
pub(super) fn is_nested(asked: &str) -> bool {
    let decoded = decode(asked.as_bytes(), Plus::Space);
    String::from_utf8_lossy(&decoded).trim_matches('/').contains('/')
}

/// The key that names are sorted by: without case and accents, as the database compares them.
pub(super) fn collation(name: &str) -> String {
    name.chars().flat_map(fold).flat_map(char::to_lowercase).collect()
}

/// Text without its tags.
pub(super) fn strip_tags(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        kept.push_str(before);
        // `<` before anything but a letter, `/`, `!` or `?` is text.
        if !after.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')) {
            kept.push('<');
            rest = after;
            continue;
        }
        rest = after.split_once('>').map_or("", |(_, tail)| tail);
    }
    kept.push_str(rest);
    kept
}

fn dashes(text: &str) -> String {
    let text = without_entities(&text.to_lowercase());
    let mut slug = String::new();
    for character in text.chars() {
        match character {
            'a'..='z' | '0'..='9' | '_' => slug.push(character),
            ' ' | '.' | '-' => dash(&mut slug),
            character if !character.is_ascii() => encode(character, &mut slug),
            _ => {}
        }
        if slug.len() >= LONGEST {
            break;
        }
    }
    slug.trim_matches('-').to_owned()
}

/// Runs of dashes are one.
fn dash(slug: &mut String) {
    if !slug.ends_with('-') {
        slug.push('-');
    }
}

fn encode(character: char, slug: &mut String) {
    let mut buffer = [0; 4];
    for byte in character.encode_utf8(&mut buffer).bytes() {
        slug.push('%');
        for digit in [byte >> 4, byte & 15] {
            slug.push(char::from_digit(u32::from(digit), 16).unwrap_or('0'));
        }
    }
}

fn without_entities(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        kept.push_str(before);
        rest = match after.split_once(';') {
            Some((name, tail))
                if !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '#') =>
            {
                tail
            }
            _ => after,
        };
    }
    kept.push_str(rest);
    kept
}

/// A letter without its accent; WordPress knows more, these cover the western European languages.
fn fold(character: char) -> std::vec::IntoIter<char> {
    let plain = match character {
        'À'..='Å' | 'Ā' | 'Ă' | 'Ą' => "A",
        'à'..='å' | 'ā' | 'ă' | 'ą' => "a",
        'Æ' => "AE",
        'æ' => "ae",
        'Ç' | 'Ć' | 'Č' => "C",
        'ç' | 'ć' | 'č' => "c",
        'È'..='Ë' | 'Ē' | 'Ę' | 'Ě' => "E",
        'è'..='ë' | 'ē' | 'ę' | 'ě' => "e",
        'Ì'..='Ï' | 'Ī' | 'İ' => "I",
        'ì'..='ï' | 'ī' | 'ı' => "i",
        'Ñ' | 'Ń' | 'Ň' => "N",
        'ñ' | 'ń' | 'ň' => "n",
        'Ò'..='Ö' | 'Ø' | 'Ō' | 'Ő' => "O",
        'ò'..='ö' | 'ø' | 'ō' | 'ő' => "o",
        'Œ' => "OE",
        'œ' => "oe",
        'Ù'..='Ü' | 'Ū' | 'Ů' | 'Ű' => "U",
        'ù'..='ü' | 'ū' | 'ů' | 'ű' => "u",
        'Ý' => "Y",
        'ý' | 'ÿ' => "y",
        'Š' | 'Ś' => "S",
        'š' | 'ś' | 'ß' => "s",
        'Ž' | 'Ź' | 'Ż' => "Z",
        'ž' | 'ź' | 'ż' => "z",
        'Ł' => "L",
        'ł' => "l",
        _ => return vec![character].into_iter(),
    };
    plain.chars().collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn makes_the_recorded_slugs() {
        let cases = [
            ("Müller & Søn Jubiläum", "muller-son-jubilaum"),
            ("Workshop: HTML & <b>Bold</b>", "workshop-html-bold"),
            ("東京", "%e6%9d%b1%e4%ba%ac"),
            ("Emoji 🎉 Party", "emoji-%f0%9f%8e%89-party"),
            ("Å b/c", "a-b-c"),
            ("a\nb", "ab"),
            ("&amp; &", ""),
            ("Quote \" and \\ backslash / slash", "quote-and-backslash-slash"),
        ];
        for (title, slug) in cases {
            assert_eq!(from_title(title), slug, "{title}");
        }
    }

    #[test]
    fn looks_up_the_recorded_spellings() {
        for asked in [
            "NEW-YORK-GALA",
            "new york gala",
            "new+york+gala",
            " new-york-gala",
            "new--york-gala",
            "new-york-gala/",
            "new.york.gala",
        ] {
            assert_eq!(from_request(asked), "new-york-gala", "{asked}");
        }
        assert_eq!(from_request("müller"), "m%c3%bcller");
        assert_eq!(from_request("gala%0A"), "gala%0a");
        assert!(is_nested("a/b") && !is_nested("a/"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_slug_finds_itself(title in ".{0,60}") {
            let slug = from_title(&title);
            prop_assert_eq!(from_request(&slug), slug);
        }
    }
}
