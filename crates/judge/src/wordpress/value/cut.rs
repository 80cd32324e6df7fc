//! Splitting of byte strings, for operations that the standard library offers for text only.

/// Splits the bytes at the first separator, which is dropped; `None` if there is no separator.
pub fn split_once(bytes: &[u8], separator: u8) -> Option<(&[u8], &[u8])> {
    let at = memchr::memchr(separator, bytes)?;
    let (before, from) = bytes.split_at(at);
    Some((before, from.get(1..)?))
}

/// Splits off the longest prefix whose bytes all satisfy `takes`.
pub fn split_while(bytes: &[u8], takes: impl Fn(u8) -> bool) -> (&[u8], &[u8]) {
    let end = bytes.iter().position(|&byte| !takes(byte));
    bytes.split_at(end.unwrap_or(bytes.len()))
}

/// Removes the longest suffix whose bytes all satisfy `drops`.
pub fn trim_end(bytes: &[u8], drops: impl Fn(u8) -> bool) -> &[u8] {
    let last = bytes.iter().rposition(|&byte| !drops(byte));
    bytes.split_at(last.map_or(0, |last| last + 1)).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_at_the_first_separator() {
        for text in ["a=b=c", "=", "a", ""] {
            let expected = text
                .split_once('=')
                .map(|(before, behind)| (before.as_bytes(), behind.as_bytes()));
            assert_eq!(split_once(text.as_bytes(), b'='), expected);
        }
    }

    #[test]
    fn cuts_kinds_off_either_end() {
        let is_slash = |byte| byte == b'/';
        for (text, tail, head) in [
            ("//a/", "a/", "//a"),
            ("a", "a", "a"),
            ("//", "", ""),
            ("", "", ""),
        ] {
            assert_eq!(split_while(text.as_bytes(), is_slash).1, tail.as_bytes());
            assert_eq!(trim_end(text.as_bytes(), is_slash), head.as_bytes());
        }
    }
}
