//! When two bodies are the same: byte for byte, but for what WordPress writes at random or by place.

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

/// Compares the body of the site with that of the copy. None if they differ in something else than [`Folded`].
pub fn same(site: &[u8], copy: &[u8]) -> Option<Folded> {
    let mut folded = Folded::default();
    let (mut at, mut other) = (0, 0);
    loop {
        let rest = (
            site.get(at..).unwrap_or_default(),
            copy.get(other..).unwrap_or_default(),
        );
        let equal = rest
            .0
            .iter()
            .zip(rest.1)
            .take_while(|(one, two)| one == two)
            .count();
        (at, other) = (at + equal, other + equal);
        if at == site.len() && other == copy.len() {
            return Some(folded);
        }
        if let Some((one, two)) = counter(site, at, copy, other) {
            folded.counters += 1;
            (at, other) = (one, two);
        } else if let Some((one, two)) = mail_letter(site, at, copy, other) {
            folded.mail_letters += 1;
            (at, other) = (one, two);
        } else {
            return None;
        }
    }
}

/// The ends of two numbers of a counter.
fn counter(site: &[u8], at: usize, copy: &[u8], other: usize) -> Option<(usize, usize)> {
    let before = site.get(..at)?;
    let name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_".contains(byte);
    let digits = before
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let named = before.get(..at - digits)?;
    let length = named
        .iter()
        .rev()
        .take(NEAR)
        .take_while(|byte| name(byte))
        .count();
    let named = std::str::from_utf8(named.get(named.len() - length..)?).ok()?;
    let is_counted = is_counted(named);
    let end = |text: &[u8], from: usize| {
        let rest = text.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let ends = (end(site, at), end(copy, other));
    // Both have a number here.
    let have_numbers = ends.0 > at - digits && ends.1 > other - digits;
    (is_counted && have_numbers && ends != (at, other)).then_some(ends)
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

/// The ends of a letter of an address that one of the two writes as an entity.
fn mail_letter(site: &[u8], at: usize, copy: &[u8], other: usize) -> Option<(usize, usize)> {
    let back = begun(site.get(..at)?);
    let (one, two) = (at - back, other.checked_sub(back)?);
    let (letter, one_end) = letter(site, one)?;
    let (same, two_end) = self::letter(copy, two)?;
    let is_of_mail = |byte: u8| byte.is_ascii_alphanumeric() || b"@._%+-".contains(&byte);
    (letter == same && is_of_mail(letter) && is_in_address(site, one)).then_some((one_end, two_end))
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

/// The letter at a place, and where it ends: `a`, `&#97;` or `%61`.
fn letter(text: &[u8], at: usize) -> Option<(u8, usize)> {
    match text.get(at..)? {
        [b'&', b'#', rest @ ..] => {
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let number = std::str::from_utf8(rest.get(..digits)?).ok()?.parse().ok()?;
            (rest.get(digits) == Some(&b';')).then_some((number, at + digits + 3))
        }
        [b'%', high, low, ..] => {
            let digits = [*high, *low];
            let byte = u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?;
            Some((byte, at + 3))
        }
        [byte, ..] => Some((*byte, at + 1)),
        [] => None,
    }
}

/// Whether the text around a place is an address.
fn is_in_address(text: &[u8], at: usize) -> bool {
    let is_of_mail = |byte: &u8| byte.is_ascii_alphanumeric() || b"@._%+-&#;:".contains(byte);
    let behind = text.get(at..).unwrap_or_default();
    let before = text.get(..at).unwrap_or_default();
    let length = behind
        .iter()
        .take(NEAR)
        .take_while(|byte| is_of_mail(byte))
        .count();
    let back = before
        .iter()
        .rev()
        .take(NEAR)
        .take_while(|byte| is_of_mail(byte))
        .count();
    let near = text.get(at - back..at + length).unwrap_or_default();
    ["@", "&#64;", "%40"]
        .iter()
        .any(|sign| memchr::memmem::find(near, sign.as_bytes()).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(site: &str, copy: &str) -> Option<(usize, usize)> {
        same(site.as_bytes(), copy.as_bytes()).map(|folded| (folded.mail_letters, folded.counters))
    }

    #[test]
    fn letters_of_addresses_may_be_encoded() {
        for (site, copy, expected) in [
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
            ("", "a", None),
        ] {
            assert_eq!(folded(site, copy), expected, "{site} {copy}");
            assert_eq!(folded(copy, site), expected, "{copy} {site}");
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
}
