//! Bytes as hexadecimal digits, and header values that are secret.

use std::fmt;

use http::HeaderValue;

/// Bytes that are shown as lower-case hexadecimal digits.
pub(crate) struct Hex<T>(pub(crate) T);

impl<T: AsRef<[u8]>> fmt::Display for Hex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = self.0.as_ref().iter();
        bytes.try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Exactly so many bytes from lower-case hexadecimal digits.
pub(crate) fn hex<const N: usize>(digits: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    if pairs.len() != N || !rest.is_empty() {
        return None;
    }
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = nibble(*high)? << 4 | nibble(*low)?;
    }
    Some(bytes)
}

fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

/// A header value that does not show up in debug output.
pub(crate) fn sensitive(text: &str) -> HeaderValue {
    // Visible ASCII always fits; an empty value signs nothing, and is refused.
    let mut value = HeaderValue::from_str(text).unwrap_or_else(|_| HeaderValue::from_static(""));
    value.set_sensitive(true);
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_and_bytes_are_inverse() {
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(
            hex::<256>(&Hex(&bytes).to_string()).map(Vec::from),
            Some(bytes.clone())
        );
        for other in ["", "0", "000", "0G", "0A", "é"] {
            assert_eq!(hex::<1>(other), None, "{other}");
        }
    }
}
