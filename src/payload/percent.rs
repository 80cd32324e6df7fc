//! Percent-decoding as PHP does it: broken escapes stay as they are.

/// What a plus sign means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plus {
    /// A space, as in queries and forms (`urldecode`).
    Space,
    /// Itself, as in paths (`rawurldecode`).
    Literal,
}

/// Decodes every valid `%XX` once.
pub fn decode(text: &[u8], plus: Plus) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(text.len());
    decode_into(text, plus, &mut decoded);
    decoded
}

/// As [`decode`], appending to a buffer the caller owns.
pub fn decode_into(text: &[u8], plus: Plus, decoded: &mut Vec<u8>) {
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        if let (b'%', Some(byte)) = (*first, escaped(tail)) {
            decoded.push(byte);
            rest = &tail[2..];
            continue;
        }
        decoded.push(if *first == b'+' && plus == Plus::Space {
            b' '
        } else {
            *first
        });
        rest = tail;
    }
}

/// The byte two hexadecimal digits stand for.
pub(crate) fn escaped(digits: &[u8]) -> Option<u8> {
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
            assert_eq!(decode(text, Plus::Space), expected);
        }
        assert_eq!(decode(b"a+b", Plus::Literal), b"a+b");
    }
}
