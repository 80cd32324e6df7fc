//! Slugs: the last part of a record's address, as WordPress makes it of a title.

use calendar_edge_judge::wordpress::payload::{Plus, decode};

/// The longest slug in bytes, counted after percent-encoding.
const LONGEST: usize = 200;

/// The slug of a title: in lower case, umlauts and accents of western Europe folded, the rest percent-encoded.
pub(crate) fn of(title: &str) -> String {
    let mut slug = String::new();
    for character in without_tags(title).to_lowercase().chars() {
        match character {
            'a'..='z' | '0'..='9' | '_' => slug.push(character),
            ' ' | '.' | '-' | '/' if !slug.ends_with('-') => slug.push('-'),
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

/// The stored slug that a path or an argument asks for.
pub(crate) fn asked(asked: &str) -> String {
    of(&String::from_utf8_lossy(&decode(asked.as_bytes(), Plus::Space)))
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
        slug.push('%');
        for digit in [byte >> 4, byte & 15] {
            slug.extend(char::from_digit(u32::from(digit), 16));
        }
    }
}

const fn folded(character: char) -> Option<&'static str> {
    Some(match character {
        'à'..='å' => "a",
        'æ' => "ae",
        'ç' => "c",
        'è'..='ë' => "e",
        'ì'..='ï' => "i",
        'ñ' => "n",
        'ò'..='ö' | 'ø' => "o",
        'œ' => "oe",
        'ù'..='ü' => "u",
        'ý' | 'ÿ' => "y",
        'š' | 'ß' => "s",
        'ž' => "z",
        'ł' => "l",
        _ => return None,
    })
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
        ] {
            assert_eq!(of(title), slug, "{title}");
            assert_eq!(asked(slug), slug);
        }
        assert_eq!(asked("New+York%20Gala/"), "new-york-gala");
    }
}
