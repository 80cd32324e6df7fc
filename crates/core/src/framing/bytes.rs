//! Classes of bytes.

use crate::simd;

/// The byte behind the printable characters of ASCII.
pub(super) const DELETE: u8 = 0x7f;

/// The position of the first byte that no line may hold: a control character other than the tab. Line ends count.
pub(super) fn first_control(bytes: &[u8]) -> Option<usize> {
    simd::first(bytes, |lane| {
        let is_low = simd::is_at_most(lane, b' ' - 1);
        (is_low & !simd::is(lane, b'\t')) | simd::is(lane, DELETE)
    })
}

/// The bytes that a token may hold (RFC 9110 5.6.2).
#[expect(clippy::indexing_slicing, reason = "the table has a place for every byte")]
const TOKEN: [bool; 256] = {
    let mut table = [false; 256];
    let mut bytes: &[u8] = b"!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    while let [byte, behind @ ..] = bytes {
        table[*byte as usize] = true;
        bytes = behind;
    }
    table
};

/// True for a token: one or more bytes, all of them token bytes.
#[expect(clippy::indexing_slicing, reason = "the table has a place for every byte")]
pub(crate) fn is_token(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(|&byte| TOKEN[usize::from(byte)])
}

/// Splits the bytes at the first separator, which is dropped.
pub(super) fn split_once(bytes: &[u8], separator: u8) -> Option<(&[u8], &[u8])> {
    let at = memchr::memchr(separator, bytes)?;
    let (before, behind) = bytes.split_at_checked(at)?;
    Some((before, behind.get(1..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_first_control_wherever_it_stands() {
        for length in 0..50 {
            let clean = vec![b'a'; length];
            assert_eq!(first_control(&clean), None);
            for at in 0..length {
                for control in [0, b'\n', b'\r', 0x0b, 0x1f, 0x7f] {
                    let mut bytes = clean.clone();
                    bytes[at] = control;
                    assert_eq!(first_control(&bytes), Some(at));
                }
            }
        }
        assert_eq!(first_control("\t \u{e9}~".as_bytes()), None);
    }

    #[test]
    fn tokens_are_those_of_the_http_crate() {
        for byte in 0..=u8::MAX {
            let expected = http::Method::from_bytes(&[byte]).is_ok();
            assert_eq!(is_token(&[byte]), expected, "{byte}");
        }
        assert!(!is_token(b""));
    }
}
