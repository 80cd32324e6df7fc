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

/// A name without case and accents, by which databases sort.
pub(crate) fn folded_name(name: &str) -> String {
    name.to_lowercase()
        .chars()
        .fold(String::new(), |mut folded_name, character| {
            match folded(character) {
                Some(plain) => folded_name.push_str(plain),
                None => folded_name.push(character),
            }
            folded_name
        })
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
        'à'..='å' | 'ā' | 'ă' | 'ą' | 'ǎ' | 'ª' | 'ạ'..='ặ' => "a",
        'æ' => "ae",
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => "c",
        'ð' | 'ď' | 'đ' => "d",
        'è'..='ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' | 'ẹ'..='ệ' | '€' => "e",
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => "g",
        'ĥ' | 'ħ' => "h",
        'ì'..='ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' | 'ı' | 'ǐ' | 'ỉ'..='ị' => "i",
        'ĳ' => "ij",
        'ĵ' => "j",
        'ķ' | 'ĸ' => "k",
        'ĺ' | 'ļ' | 'ľ' | 'ŀ' | 'ł' => "l",
        'ñ' | 'ń' | 'ņ' | 'ň' | 'ŉ' | 'ŋ' => "n",
        'ò'..='ö' | 'ø' | 'ō' | 'ŏ' | 'ő' | 'º' | 'ơ' | 'ǒ' | 'ọ'..='ợ' => "o",
        'œ' => "oe",
        'ŕ' | 'ŗ' | 'ř' => "r",
        'š' | 'ß' | 'ś' | 'ŝ' | 'ş' | 'ș' | 'ſ' => "s",
        'þ' => "th",
        'ţ' | 'ť' | 'ŧ' | 'ț' => "t",
        'ù'..='ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' | 'ư' | 'ǔ' | 'ǖ' | 'ǘ' | 'ǚ' | 'ǜ' | 'ụ'..='ự' => {
            "u"
        }
        'ŵ' => "w",
        '×' => "x",
        'ý' | 'ÿ' | 'ŷ' | 'ỳ'..='ỹ' => "y",
        'ź' | 'ż' | 'ž' => "z",
        // Marks that WordPress leaves out.
        '£'
        | '\u{a1}'
        | '\u{ab}'
        | '\u{bb}'
        | '\u{bf}'
        | '\u{a9}'
        | '\u{ae}'
        | '\u{b0}'
        | '\u{b4}'
        | '\u{2018}'..='\u{201f}'
        | '\u{2022}'
        | '\u{2026}'
        | '\u{2039}'
        | '\u{203a}'
        | '\u{2122}'
        | '\u{300}'
        | '\u{301}'
        | '\u{304}'
        | '\u{30c}' => "",
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
