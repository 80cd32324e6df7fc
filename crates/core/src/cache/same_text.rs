//! Whether two bodies say the same.

/// Returns true if two bodies are the same after numeric character references to the usual characters of e-mail addresses
/// are decoded. The plugin writes these as such references, at random, so that two equal responses differ byte by byte.
///
/// Other references differ from what they refer to: `&#60;b&#62;` is text, and `<b>` is a tag.
pub fn same_text(left: &[u8], right: &[u8]) -> bool {
    left == right || decoded(left).eq(decoded(right))
}

/// The longest reference that is decoded: `&#` and seven digits with a semicolon.
const LONGEST: usize = 10;

/// The bytes with each decimal reference to a usual character of an address replaced by it.
fn decoded(text: &[u8]) -> impl Iterator<Item = u8> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (byte, behind) = match reference(rest) {
            Some(found) => found,
            None => rest.split_first().map(|(byte, behind)| (*byte, behind))?,
        };
        rest = behind;
        Some(byte)
    })
}

/// The character of a reference at the beginning, and what follows it.
fn reference(text: &[u8]) -> Option<(u8, &[u8])> {
    let digits = text.strip_prefix(b"&#")?;
    let end = digits.iter().take(LONGEST).position(|byte| *byte == b';')?;
    let (digits, behind) = digits.split_at_checked(end)?;
    let number: u8 = std::str::from_utf8(digits).ok()?.parse().ok()?;
    let is_plain = is_of_address(number) && !digits.starts_with(b"+");
    is_plain.then_some((number, behind.get(1..)?))
}

/// True for the usual characters of addresses. None of them means anything to HTML or JSON.
const fn is_of_address(character: u8) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, b'.' | b'@' | b'-' | b'_' | b'+')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn letters_may_be_written_as_references() {
        for (left, right, expected) in [
            ("&#105;nf&#111;&#64;a", "info@a", true),
            ("&#105;nfo@a", "i&#110;fo&#64;a", true),
            ("a", "b", false),
            ("a", "ab", false),
            ("&#105", "i", false),
            ("&#x69;", "i", false),
            ("&#8220;", "&#8220;", true),
            ("&#8220;", "\u{201c}", false),
            ("&#;", "", false),
            ("&#+05;", "i", false),
            ("&#043;&#45;&#46;&#95;", "+-._", true),
            ("&#60;b&#62;", "<b>", false),
            ("&#38;lt;", "&lt;", false),
            ("&#34;", "\"", false),
            ("&#39;", "'", false),
            ("&#92;", "\\", false),
            ("&#35;", "#", false),
            ("&#32;", " ", false),
        ] {
            assert_eq!(
                same_text(left.as_bytes(), right.as_bytes()),
                expected,
                "{left} {right}"
            );
        }
    }

    proptest! {
        #[test]
        fn every_mix_of_references_says_the_same(text in "[0-9A-Za-z.@_+-]{0,20}", mix in any::<u32>()) {
            let mixed: String = text
                .chars()
                .enumerate()
                .map(|(place, letter)| {
                    if mix & (1 << (place % 32)) == 0 {
                        letter.to_string()
                    } else {
                        format!("&#{};", u32::from(letter))
                    }
                })
                .collect();
            prop_assert!(same_text(text.as_bytes(), mixed.as_bytes()));
        }
    }
}
