//! HTML entities, as WordPress writes them in titles and texts.

/// The longest entity, without its `&` and `;`.
const LONGEST_ENTITY: usize = 10;

/// The named entities that WordPress and template engines write.
const NAMED: [(&str, char); 17] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", '\u{a0}'),
    ("hellip", '…'),
    ("ndash", '–'),
    ("mdash", '—'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("laquo", '«'),
    ("raquo", '»'),
    ("copy", '©'),
    ("euro", '€'),
];

/// The character of the entity that a text begins with, and what follows it: by number, or one of those that WordPress
/// and template engines write by name.
pub fn html_entity(text: &str) -> Option<(char, &str)> {
    let inside = text.strip_prefix('&')?;
    let end = inside
        .bytes()
        .take(LONGEST_ENTITY + 1)
        .position(|byte| byte == b';')?;
    let (name, behind) = (inside.get(..end)?, inside.get(end + 1..)?);
    let letter = match name.strip_prefix('#') {
        Some(number) => char::from_u32(code_point(number)?)?,
        None => NAMED.iter().find(|(known, _)| *known == name)?.1,
    };
    Some((letter, behind))
}

fn code_point(number: &str) -> Option<u32> {
    match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => number.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_are_read_by_name_and_number() {
        for (text, expected) in [
            ("&amp;b", Some(('&', "b"))),
            ("&#038;", Some(('&', ""))),
            ("&#x2019;s", Some(('’', "s"))),
            ("&nbsp;", Some(('\u{a0}', ""))),
            ("&unknown;", None),
            ("&#xd800;", None),
            ("&#;", None),
            ("& b;", None),
            ("amp;", None),
        ] {
            assert_eq!(html_entity(text), expected, "{text}");
        }
    }
}
