//! Percent-decoding as PHP does it: broken escapes are not changed.

use std::borrow::Cow;

/// The meaning of a plus sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plus {
    /// A space, as in queries and forms (`urldecode`).
    Space,
    /// A plus sign, as in paths (`rawurldecode`).
    Literal,
}

/// The byte that each percent sign encodes; `None` if two hexadecimal digits do not follow.
pub fn escapes(text: &[u8]) -> impl Iterator<Item = Option<u8>> {
    text.split(|&byte| byte == b'%').skip(1).map(escaped)
}

/// Decodes every valid `%XX` once; text without any is not copied.
pub fn decode(text: &[u8], plus: Plus) -> Cow<'_, [u8]> {
    let is_plain = |byte: &u8| *byte != b'%' && (*byte != b'+' || plus == Plus::Literal);
    if text.iter().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        if let (b'%', Some(byte), [_, _, behind @ ..]) = (*first, escaped(tail), tail) {
            decoded.push(byte);
            rest = behind;
            continue;
        }
        decoded.push(if *first == b'+' && plus == Plus::Space {
            b' '
        } else {
            *first
        });
        rest = tail;
    }
    Cow::Owned(decoded)
}

/// The byte that two hexadecimal digits encode.
pub fn escaped(digits: &[u8]) -> Option<u8> {
    let [high, low, ..] = digits else { return None };
    let nibble = |digit: u8| char::from(digit).to_digit(16);
    u8::try_from(nibble(*high)? * 16 + nibble(*low)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_once_and_leaves_broken_escapes() {
        let cases: [(&[u8], &[u8]); 5] = [
            (b"a%20b", b"a b"),
            (b"%2565", b"%65"),
            (b"%zz%4", b"%zz%4"),
            (b"%", b"%"),
            (b"a+b", b"a b"),
        ];
        for (text, expected) in cases {
            assert_eq!(&*decode(text, Plus::Space), expected);
        }
        assert_eq!(&*decode(b"a+b", Plus::Literal), b"a+b");
    }
}
