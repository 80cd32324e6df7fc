//! Slugs: the last part of a record's address, as WordPress makes it of a title.

use std::fmt::Write as _;

use calendar_edge_judge::wordpress::payload::{Plus, decode};

/// The longest slug in bytes, counted after percent-encoding.
const LONGEST: usize = 200;

/// Letters with what stands for them, as WordPress folds them; it leaves the marks of the last row out.
const FOLDED: [(&str, &str); 25] = [
    ("a", "àáâãäåāăąǎªạảấầẩẫậắằẳẵặ"),
    ("ae", "æ"),
    ("c", "çćĉċč"),
    ("d", "ðďđ"),
    ("e", "èéêëēĕėęěẹẻẽếềểễệ€"),
    ("g", "ĝğġģ"),
    ("h", "ĥħ"),
    ("i", "ìíîïĩīĭįıǐỉị"),
    ("ij", "ĳ"),
    ("j", "ĵ"),
    ("k", "ķĸ"),
    ("l", "ĺļľŀł"),
    ("n", "ñńņňŉŋ"),
    ("o", "òóôõöøōŏőºơǒọỏốồổỗộớờởỡợ"),
    ("oe", "œ"),
    ("r", "ŕŗř"),
    ("s", "šßśŝşșſ"),
    ("t", "ţťŧț"),
    ("th", "þ"),
    ("u", "ùúûüũūŭůűųưǔǖǘǚǜụủứừửữự"),
    ("w", "ŵ"),
    ("x", "×"),
    ("y", "ýÿŷỳỵỷỹ"),
    ("z", "źżž"),
    ("", "£¡«»¿©®°´‘’‚‛“”„‟•…‹›™\u{300}\u{301}\u{304}\u{307}\u{30c}"),
];

/// The slug of a title: in lower case, umlauts and accents of western Europe folded, the rest percent-encoded.
pub(crate) fn of(title: &str) -> String {
    let mut slug = String::new();
    for character in without_tags(title).chars().flat_map(char::to_lowercase) {
        match character {
            'a'..='z' | '0'..='9' | '_' => slug.push(character),
            ' ' | '.' | '-' | '/' | '\u{a0}' | '\u{2013}' | '\u{2014}' => {
                if !slug.ends_with('-') {
                    slug.push('-');
                }
            }
            _ if character.is_ascii() => {}
            _ => match folded(character) {
                Some(plain) => slug.push_str(plain),
                None => encode(character, &mut slug),
            },
        }
        if slug.len() >= LONGEST {
            break;
        }
    }
    slug.trim_matches('-').to_owned()
}

/// The slug of a title, or the number of a record whose title has none.
pub(crate) fn of_or_number(title: &str, id: u64) -> String {
    Some(of(title))
        .filter(|slug| !slug.is_empty())
        .unwrap_or_else(|| id.to_string())
}

/// A name without case and accents, by which databases sort.
pub(crate) fn folded_name(name: &str) -> String {
    let plain = |letter: char| folded(letter).map_or_else(|| letter.to_string(), str::to_owned);
    name.to_lowercase().chars().map(plain).collect()
}

/// The stored slug that a path or an argument names.
pub(crate) fn requested(slug: &str) -> String {
    of(&String::from_utf8_lossy(&decode(slug.as_bytes(), Plus::Space)))
}

fn without_tags(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        kept.push_str(before);
        rest = after.split_once('>').map_or(after, |(_, tail)| tail);
    }
    kept + rest
}

fn encode(character: char, slug: &mut String) {
    let mut buffer = [0; 4];
    for byte in character.encode_utf8(&mut buffer).bytes() {
        // Writing to a String cannot fail.
        let _ = write!(slug, "%{byte:02x}");
    }
}

fn folded(character: char) -> Option<&'static str> {
    let mut rows = FOLDED.iter();
    rows.find(|(_, letters)| letters.contains(character))
        .map(|(plain, _)| *plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn makes_the_recorded_slugs_and_finds_them() {
        for (title, slug) in [
            ("Müller & Søn Jubiläum", "muller-son-jubilaum"),
            ("Workshop: HTML & <b>Bold</b>", "workshop-html-bold"),
            ("東京", "%e6%9d%b1%e4%ba%ac"),
            ("Å b/c", "a-b-c"),
            ("Łódź – Žižkov", "lodz-zizkov"),
            ("Việt Nam “ơi”", "viet-nam-oi"),
            ("İstanbul Iğdır", "istanbul-igdir"),
            ("ΣΑΣ", "%cf%83%ce%b1%cf%83"),
        ] {
            assert_eq!(of(title), slug, "{title}");
            assert_eq!(requested(slug), slug);
        }
        assert_eq!(requested("New+York%20Gala/"), "new-york-gala");
    }
}
