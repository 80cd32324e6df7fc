//! Whether two bodies say the same: byte for byte, but for what WordPress writes at random or by place.

/// How often bytes differed where they may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Folded {
    /// Letters of e-mail addresses, which are encoded at random.
    pub mail_letters: usize,
    /// Numbers in names of classes, which count what was printed before.
    pub counters: usize,
}

// === impl Folded ===

impl Folded {
    /// Whether any byte differed.
    pub const fn any(self) -> bool {
        self.mail_letters + self.counters > 0
    }
}

/// The longest text around a letter that is looked at.
const NEAR: usize = 400;

/// A body, and how far it was compared.
#[derive(Clone, Copy)]
struct ComparedBody<'a> {
    text: &'a [u8],
    at: usize,
}

// === impl ComparedBody ===

impl<'a> ComparedBody<'a> {
    fn before(self) -> &'a [u8] {
        self.text.get(..self.at).unwrap_or_default()
    }

    fn rest(self) -> &'a [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    const fn skip(self, bytes: usize) -> Self {
        let at = self.at + bytes;
        Self { at, ..self }
    }

    fn back(self, bytes: usize) -> Option<Self> {
        let at = self.at.checked_sub(bytes)?;
        Some(Self { at, ..self })
    }
}

/// Compares two bodies, or texts of them. None if they differ in something else than [`Folded`].
pub fn same_text(left: &[u8], right: &[u8]) -> Option<Folded> {
    let mut folded = Folded::default();
    if left == right {
        return Some(folded);
    }
    let (mut left, mut right) = (
        ComparedBody { text: left, at: 0 },
        ComparedBody { text: right, at: 0 },
    );
    loop {
        let both = left.rest().iter().zip(right.rest());
        let equal = both.take_while(|(one, other)| one == other).count();
        (left, right) = (left.skip(equal), right.skip(equal));
        if left.rest().is_empty() && right.rest().is_empty() {
            return Some(folded);
        }
        if let Some(behind) = counter(left, right) {
            folded.counters += 1;
            (left, right) = behind;
        } else {
            (left, right) = mail_letter(left, right)?;
            folded.mail_letters += 1;
        }
    }
}

/// The places behind two numbers of a counter.
fn counter<'a>(
    left: ComparedBody<'a>,
    right: ComparedBody<'a>,
) -> Option<(ComparedBody<'a>, ComparedBody<'a>)> {
    let digits = end(left.before(), u8::is_ascii_digit);
    if digits != end(right.before(), u8::is_ascii_digit) {
        return None;
    }
    let more = [left, right].map(|place| beginning(place.rest(), u8::is_ascii_digit));
    let [have_digits, have_more] = [digits > 0 || !more.contains(&0), more != [0, 0]];
    let is_named = have_digits && have_more && is_counted(name(left.back(digits)?.before())?);
    is_named.then(|| (left.skip(more[0]), right.skip(more[1])))
}

/// The name at the end of a text.
fn name(text: &[u8]) -> Option<&str> {
    let length = end(text, |byte| byte.is_ascii_alphanumeric() || b"-_".contains(byte));
    std::str::from_utf8(text.get(text.len() - length..)?).ok()
}

/// How many bytes at the beginning are such ones.
fn beginning(text: &[u8], is_one: impl Fn(&u8) -> bool) -> usize {
    text.iter().take(NEAR).take_while(|byte| is_one(byte)).count()
}

/// The same at the end.
fn end(text: &[u8], is_one: impl Fn(&u8) -> bool) -> usize {
    text.iter()
        .rev()
        .take(NEAR)
        .take_while(|byte| is_one(byte))
        .count()
}

/// Whether a number behind this name counts what was printed before: blocks with a layout, galleries, players.
fn is_counted(name: &str) -> bool {
    let is_player = |name: &str| {
        let post = name.strip_suffix('-');
        post.is_some_and(|post| !post.is_empty() && post.bytes().all(|byte| byte.is_ascii_digit()))
    };
    match name {
        "gallery-" | "wp-block-gallery-" | "wp-container-" => true,
        _ if name.starts_with("wp-container-") => name.ends_with("-is-layout-"),
        _ => ["audio-", "video-"]
            .iter()
            .filter_map(|kind| name.strip_prefix(kind))
            .any(is_player),
    }
}

/// The places behind a letter of an address that one of the two writes as an entity.
fn mail_letter<'a>(
    left: ComparedBody<'a>,
    right: ComparedBody<'a>,
) -> Option<(ComparedBody<'a>, ComparedBody<'a>)> {
    let begun = begun(left.before());
    let (left, right) = (left.back(begun)?, right.back(begun)?);
    let (one, length) = letter(left.rest())?;
    let (other, other_length) = letter(right.rest())?;
    // A `%` that encodes nothing ends where the texts begin to differ.
    let is_behind = length > begun && other_length > begun;
    let is_of_mail = one.is_ascii_alphanumeric() || b"@._%+-".contains(&one);
    (one == other && is_behind && is_of_mail && is_in_address(left))
        .then(|| (left.skip(length), right.skip(other_length)))
}

/// How many bytes of an entity, or of an encoded byte, stand before a place.
fn begun(before: &[u8]) -> usize {
    let tail = before.get(before.len().saturating_sub(5)..).unwrap_or_default();
    let start = tail.iter().rposition(|byte| matches!(byte, b'&' | b'%'));
    let begun = start.and_then(|start| tail.get(start..)).unwrap_or_default();
    let is_open = match begun {
        [b'&' | b'%'] => true,
        [b'&', b'#', digits @ ..] => digits.iter().all(u8::is_ascii_digit),
        [b'%', digit] => digit.is_ascii_hexdigit(),
        _ => false,
    };
    if is_open { begun.len() } else { 0 }
}

/// The letter at the beginning, and its length: `a`, `&#97;` or `%61`.
fn letter(text: &[u8]) -> Option<(u8, usize)> {
    match text {
        [b'&', b'#', rest @ ..] => {
            let digits = beginning(rest, u8::is_ascii_digit);
            let number = std::str::from_utf8(rest.get(..digits)?).ok()?.parse().ok()?;
            (rest.get(digits) == Some(&b';')).then_some((number, digits + 3))
        }
        [b'%', high, low, ..] => {
            let digits = [*high, *low];
            let byte = u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?;
            Some((byte, 3))
        }
        [byte, ..] => Some((*byte, 1)),
        [] => None,
    }
}

/// Whether the text around a place is an address.
fn is_in_address(place: ComparedBody<'_>) -> bool {
    let is_of_mail = |byte: &u8| byte.is_ascii_alphanumeric() || b"@._%+-&#;:".contains(byte);
    let from = place.at - end(place.before(), is_of_mail);
    let to = place.at + beginning(place.rest(), is_of_mail);
    let near = place.text.get(from..to).unwrap_or_default();
    ["@", "&#64;", "%40"]
        .iter()
        .any(|sign| memchr::memmem::find(near, sign.as_bytes()).is_some())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn folded(one: &str, other: &str) -> Option<(usize, usize)> {
        same_text(one.as_bytes(), other.as_bytes()).map(|folded| (folded.mail_letters, folded.counters))
    }

    #[test]
    fn letters_of_addresses_may_be_encoded() {
        for (one, other, expected) in [
            ("<a@b.org>", "<a@b.org>", Some((0, 0))),
            ("<a&#64;b.org>", "<a@b.org>", Some((1, 0))),
            ("<&#97;@b.or&#103;>", "<a&#64;b.org>", Some((3, 0))),
            ("<mailto:%61@b.org>", "<mailto:&#97;@b.org>", Some((1, 0))),
            ("<&#97;@b.org>", "<&#98;@b.org>", None),
            ("<&#97; b>", "<a b>", None),
            ("<a &#38; b@c>", "<a & b@c>", None),
            ("<a@b.org>", "<a@b.org", None),
            ("<a@b.org>", "<a@b.com>", None),
            ("<a&#33;@b.org>", "<a!@b.org>", None),
            ("<a@b.org>", "<a@b.org>x", None),
            // What is encoded, and differs, ends in more digits than the letter has.
            ("%312@b.org", "13@b.org", None),
            // A `%` at the end encodes nothing.
            ("@%a", "@%1", None),
            ("@%", "@%1", None),
            ("", "a", None),
            ("&#105;nf&#111;&#64;a", "info@a", Some((3, 0))),
            ("&#105;nfo@a", "i&#110;fo&#64;a", Some((3, 0))),
            ("&#043;&#45;&#46;&#95;@a", "+-._@a", Some((4, 0))),
            ("a", "b", None),
            ("a", "ab", None),
            ("&#105", "i", None),
            ("&#x69;", "i", None),
            ("&#8220;", "&#8220;", Some((0, 0))),
            ("&#8220;", "\u{201c}", None),
            ("&#;", "", None),
            ("&#+05;", "i", None),
            ("&#60;b&#62;", "<b>", None),
            ("&#38;lt;", "&lt;", None),
            ("&#34;", "\"", None),
            ("&#39;", "'", None),
            ("&#92;", "\\", None),
            ("&#35;", "#", None),
            ("&#32;", " ", None),
            // The same within an address.
            ("&#105@a", "i@a", None),
            ("&#x69;@a", "i@a", None),
            ("&#;@a", "@a", None),
            ("&#+05;@a", "i@a", None),
            ("&#60;b&#62;@a", "<b>@a", None),
            ("&#34;@a", "\"@a", None),
            ("&#35;@a", "#@a", None),
        ] {
            assert_eq!(folded(one, other), expected, "{one} {other}");
            assert_eq!(folded(other, one), expected, "{other} {one}");
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
                let expected = is_counter.then_some((0, 1));
                assert_eq!(folded(&text(one), &text(other)), expected, "{name} {one} {other}");
            }
            assert_eq!(folded(&text("3"), &text("x")), None, "{name}");
            assert_eq!(folded(&text("3"), &text("")), None, "{name}");
        }
        assert_eq!(
            folded("gallery-2-183 gallery-3-9", "gallery-1-183 gallery-2-9"),
            Some((0, 2))
        );
        assert_eq!(folded("gallery-2-183", "gallery-2-184"), None);
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
            prop_assert!(folded(&one, &other).is_some(), "{one} {other}");
        }

        #[test]
        fn what_is_the_same_is_so_both_ways(
            one in "(gallery-|&#|;|%|@|[a1-9]){0,8}",
            other in "(gallery-|&#|;|%|@|[a1-9]){0,8}",
        ) {
            prop_assert_eq!(folded(&one, &other), folded(&other, &one));
            prop_assert_eq!(folded(&one, &one), Some((0, 0)));
        }
    }
}
