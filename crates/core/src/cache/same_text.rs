//! Equality of two bodies but for the texts that WordPress writes at random or by place: the letters of e-mail
//! addresses, which it encodes at random, and numbers in names of classes, which count what was printed before.

use std::borrow::Cow;

/// The longest word that may differ, in bytes: an address of 130 letters, all of them encoded.
const LONGEST: usize = 800;

/// True if two bodies, or texts of them, differ in nothing else. Takes time in proportion to their length.
pub fn same_text<'t>(mut left: &'t [u8], mut right: &'t [u8]) -> bool {
    // Nearly all that are the same are so byte for byte, which is seen many bytes at a time.
    if left == right {
        return true;
    }
    loop {
        let both = left.iter().zip(right);
        let equal = both.take_while(|(one, other)| one == other).count();
        if equal == left.len() && equal == right.len() {
            return true;
        }
        // An encoded letter or a number stands within one word.
        let tail = left
            .iter()
            .take(equal)
            .rev()
            .take_while(|byte| is_of_word(**byte));
        let begin = equal - tail.count();
        let [one, other] = [left, right].map(|text| {
            let rest = text.get(begin..).unwrap_or_default();
            rest.split_at(rest.iter().take_while(|byte| is_of_word(**byte)).count())
        });
        let is_word = |word: &[u8]| (1..=LONGEST).contains(&word.len());
        if !is_word(one.0) || !is_word(other.0) || folded(one.0) != folded(other.0) {
            return false;
        }
        (left, right) = (one.1, other.1);
    }
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"@._%+-&#;:".contains(&byte)
}

/// A word with the letters of an address decoded, and without the values of counters.
fn folded(word: &[u8]) -> Vec<u8> {
    let signs: [&[u8]; 3] = [b"@", b"&#64;", b"%40"];
    let is_address = signs
        .iter()
        .any(|sign| memchr::memmem::find(word, sign).is_some());
    let word = if is_address {
        decoded(word).into()
    } else {
        Cow::Borrowed(word)
    };
    let mut folded = Vec::with_capacity(word.len());
    let mut name = 0;
    for part in word.chunk_by(|one, next| one.is_ascii_digit() == next.is_ascii_digit()) {
        let is_number = part.first().is_some_and(u8::is_ascii_digit);
        if is_number && folded.get(name..).is_some_and(is_counted) {
            folded.push(b'0');
            continue;
        }
        let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_".contains(byte);
        if let Some(end) = part.iter().rposition(|byte| !is_of_name(byte)) {
            name = folded.len() + end + 1;
        }
        folded.extend_from_slice(part);
    }
    folded
}

/// True if a number behind this name counts what was printed before: blocks with a layout, galleries, players.
fn is_counted(name: &[u8]) -> bool {
    let is_player = |name: &[u8]| {
        let post = name.strip_suffix(b"-");
        post.is_some_and(|post| !post.is_empty() && post.iter().all(u8::is_ascii_digit))
    };
    match name {
        b"gallery-" | b"wp-block-gallery-" | b"wp-container-" => true,
        _ if name.starts_with(b"wp-container-") => name.ends_with(b"-is-layout-"),
        _ => [b"audio-", b"video-"]
            .iter()
            .filter_map(|kind| name.strip_prefix(*kind))
            .any(is_player),
    }
}

/// An address without the encoding of its letters: `a`, `&#97;` or `%61`.
fn decoded(address: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(address.len());
    let mut rest = address;
    while let [first, ..] = rest {
        let found =
            encoded(rest).filter(|(letter, _)| letter.is_ascii_alphanumeric() || b"@._%+-".contains(letter));
        let (letter, length) = found.unwrap_or((*first, 1));
        decoded.push(letter);
        rest = rest.get(length..).unwrap_or_default();
    }
    decoded
}

/// The letter that the beginning of a text encodes, with the length of its encoding.
fn encoded(text: &[u8]) -> Option<(u8, usize)> {
    let number = |digits: &[u8], radix| u8::from_str_radix(std::str::from_utf8(digits).ok()?, radix).ok();
    match text {
        [b'&', b'#', rest @ ..] => {
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let letter = number(rest.get(..digits)?, 10)?;
            (rest.get(digits) == Some(&b';')).then_some((letter, digits + 3))
        }
        [b'%', digits @ ..] if digits.len() > 1 => Some((number(digits.get(..2)?, 16)?, 3)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn same(one: &str, other: &str) -> bool {
        same_text(one.as_bytes(), other.as_bytes())
    }

    #[test]
    fn letters_of_addresses_may_be_encoded() {
        for (one, other, expected) in [
            ("<a@b.org>", "<a@b.org>", true),
            ("<a&#64;b.org>", "<a@b.org>", true),
            ("<&#97;@b.or&#103;>", "<a&#64;b.org>", true),
            ("<mailto:%61@b.org>", "<mailto:&#97;@b.org>", true),
            ("<&#97;@b.org>", "<&#98;@b.org>", false),
            ("<&#97; b>", "<a b>", false),
            ("<a &#38; b@c>", "<a & b@c>", false),
            ("<a@b.org>", "<a@b.org", false),
            ("<a@b.org>", "<a@b.com>", false),
            ("<a&#33;@b.org>", "<a!@b.org>", false),
            ("<a@b.org>", "<a@b.org>x", false),
            // An encoded letter that differs ends in more digits than the letter has.
            ("%312@b.org", "13@b.org", false),
            // A `%` at the end encodes nothing.
            ("@%a", "@%1", false),
            ("@%", "@%1", false),
            ("", "a", false),
            ("&#105;nf&#111;&#64;a", "info@a", true),
            ("&#105;nfo@a", "i&#110;fo&#64;a", true),
            ("&#043;&#45;&#46;&#95;@a", "+-._@a", true),
            ("a", "b", false),
            ("a", "ab", false),
            ("&#105", "i", false),
            ("&#x69;", "i", false),
            ("&#8220;", "&#8220;", true),
            ("&#8220;", "\u{201c}", false),
            ("&#;", "", false),
            ("&#+05;", "i", false),
            ("&#60;b&#62;", "<b>", false),
            ("&#38;lt;", "&lt;", false),
            ("&#34;", "\"", false),
            ("&#39;", "'", false),
            ("&#92;", "\\", false),
            ("&#35;", "#", false),
            ("&#32;", " ", false),
            // The same within an address.
            ("&#105@a", "i@a", false),
            ("&#x69;@a", "i@a", false),
            ("&#;@a", "@a", false),
            ("&#+05;@a", "i@a", false),
            ("&#60;b&#62;@a", "<b>@a", false),
            ("&#34;@a", "\"@a", false),
            ("&#35;@a", "#@a", false),
        ] {
            assert_eq!(same(one, other), expected, "{one} {other}");
            assert_eq!(same(other, one), expected, "{other} {one}");
        }
    }

    #[test]
    fn counters_by_place_may_differ() {
        for (name, is_counter) in [
            ("wp-container-core-group-is-layout-", true),
            ("wp-container-", true),
            ("wp-container-core-group-", false),
            ("gallery-", true),
            ("wp-block-gallery-", true),
            ("audio-0-", true),
            ("video-17-", true),
            ("is-layout-", false),
            ("gallery-columns-", false),
            ("my-gallery-", false),
            ("audio-", false),
            ("wp-image-", false),
            ("", false),
        ] {
            let text = |number: &str| format!("<i class=\\\"{name}{number} x\\\">");
            for (one, other) in [("3", "4"), ("9", "12"), ("12", "1")] {
                assert_eq!(same(&text(one), &text(other)), is_counter, "{name} {one} {other}");
            }
            assert!(!same(&text("3"), &text("x")), "{name}");
            assert!(!same(&text("3"), &text("")), "{name}");
        }
        assert!(same("gallery-2-183 gallery-3-9", "gallery-1-183 gallery-2-9"));
        assert!(!same("gallery-2-183", "gallery-2-184"));
    }

    #[test]
    fn long_words_are_not_read() {
        // The name of a player is looked at for each number behind it: without a bound that is quadratic.
        let long = |end: &str| format!("audio-{}-{end}", "1".repeat(LONGEST));
        assert!(!same(&long("1"), &long("2")));
        assert!(same(&long("1"), &long("1")));
        let address = |letter: &str| format!("{}@b.org", letter.repeat(130));
        assert!(same(&address("a"), &address("&#97;")));
        assert!(!same(&address("aa"), &address("&#97;&#97;")));
    }

    proptest! {
        #[test]
        fn every_mix_of_references_says_the_same(
            text in "[0-9A-Za-z._+-]{0,12}@[0-9A-Za-z.-]{0,8}",
            mixes in any::<[u64; 2]>(),
        ) {
            let [one, other] = mixes.map(|mix| {
                let spelt = text.chars().enumerate().map(|(place, letter)| match mix >> (2 * place) & 3 {
                    0 => format!("&#{};", u32::from(letter)),
                    1 => format!("%{:02x}", u32::from(letter)),
                    _ => letter.to_string(),
                });
                spelt.collect::<String>()
            });
            prop_assert!(same(&one, &other), "{one} {other}");
        }

        #[test]
        fn what_is_the_same_is_so_both_ways(
            one in "(gallery-|&#|;|%|@|[a1-9]){0,8}",
            other in "(gallery-|&#|;|%|@|[a1-9]){0,8}",
        ) {
            prop_assert_eq!(same(&one, &other), same(&other, &one));
            prop_assert!(same(&one, &one));
        }
    }
}
