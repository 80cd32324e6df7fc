//! The inside of a JSON string, with PHP's errors.

use super::json_error::JsonError;

/// Reads a string after its opening quote: the decoded bytes, and how many bytes up to and including the
/// closing quote.
pub(super) fn string(text: &[u8]) -> Result<(Vec<u8>, usize), JsonError> {
    let mut decoded = Vec::new();
    let mut at = 0;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let plain = rest
            .iter()
            .take_while(|&&byte| (0x20..0x80).contains(&byte) && !matches!(byte, b'"' | b'\\'));
        let plain = plain.count();
        decoded.extend_from_slice(&rest[..plain]);
        at += plain;
        let rest = &rest[plain..];
        at += match rest.first() {
            None | Some(0..=0x1f) => return Err(JsonError::ControlCharacter),
            Some(b'"') => return Ok((decoded, at + 1)),
            Some(b'\\') => escape(&rest[1..], &mut decoded)? + 1,
            Some(_) => {
                let length = utf8_length(rest).ok_or(JsonError::Utf8)?;
                decoded.extend_from_slice(&rest[..length]);
                length
            }
        };
    }
}

/// Reads an escape after its backslash; its length.
fn escape(rest: &[u8], decoded: &mut Vec<u8>) -> Result<usize, JsonError> {
    let plain = match rest.first() {
        Some(&byte @ (b'"' | b'\\' | b'/')) => byte,
        Some(b'b') => 0x08,
        Some(b'f') => 0x0c,
        Some(b'n') => b'\n',
        Some(b'r') => b'\r',
        Some(b't') => b'\t',
        Some(b'u') => return unicode_escape(&rest[1..], decoded).map(|length| length + 1),
        _ => return Err(JsonError::Syntax),
    };
    decoded.push(plain);
    Ok(1)
}

/// Reads `XXXX`, or a surrogate pair `XXXX\uXXXX`; its length.
fn unicode_escape(rest: &[u8], decoded: &mut Vec<u8>) -> Result<usize, JsonError> {
    let first = four_digits(rest).ok_or(JsonError::Syntax)?;
    let (scalar, length) = match first {
        0xd800..=0xdbff => {
            let low = rest
                .get(4..6)
                .filter(|escape| *escape == b"\\u")
                .and_then(|_| four_digits(&rest[6..]));
            let low = low
                .filter(|low| (0xdc00..=0xdfff).contains(low))
                .ok_or(JsonError::Utf16)?;
            (0x1_0000 + ((first - 0xd800) << 10) + (low - 0xdc00), 10)
        }
        _ => (first, 4),
    };
    let scalar = char::from_u32(scalar).ok_or(JsonError::Utf16)?;
    decoded.extend_from_slice(scalar.encode_utf8(&mut [0; 4]).as_bytes());
    Ok(length)
}

fn four_digits(text: &[u8]) -> Option<u32> {
    let digits = text.get(..4)?;
    digits.iter().try_fold(0, |number, digit| {
        Some(number * 16 + char::from(*digit).to_digit(16)?)
    })
}

/// The length of the UTF-8 character a text begins with (RFC 3629: no surrogates, no overlong forms).
pub(super) fn utf8_length(text: &[u8]) -> Option<usize> {
    let length = match text.first()? {
        0..=0x7f => 1,
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return None,
    };
    std::str::from_utf8(text.get(..length)?).is_ok().then_some(length)
}
