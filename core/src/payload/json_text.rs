//! The content of a JSON string, with PHP's errors.

use super::json_error::JsonError;
use crate::value::split_while;

/// Reads a string after its opening quote. Returns the decoded bytes and the text after the closing quote.
pub(super) fn string(text: &[u8]) -> Result<(Vec<u8>, &[u8]), JsonError> {
    let is_plain = |byte: u8| (0x20..0x80).contains(&byte) && !matches!(byte, b'"' | b'\\');
    let mut decoded = Vec::new();
    let mut text = text;
    loop {
        let (plain, rest) = split_while(text, is_plain);
        decoded.extend_from_slice(plain);
        text = match rest {
            [] | [0..=0x1f, ..] => return Err(JsonError::ControlCharacter),
            [b'"', behind @ ..] => return Ok((decoded, behind)),
            [b'\\', escaped @ ..] => escape(escaped, &mut decoded)?,
            _ => {
                let (character, behind) = rest.split_at(utf8_length(rest).ok_or(JsonError::Utf8)?);
                decoded.extend_from_slice(character);
                behind
            }
        };
    }
}

/// Reads an escape after its backslash. Returns the text after it.
fn escape<'a>(text: &'a [u8], decoded: &mut Vec<u8>) -> Result<&'a [u8], JsonError> {
    let (kind, behind) = text.split_first().ok_or(JsonError::Syntax)?;
    let plain = match kind {
        b'"' | b'\\' | b'/' => *kind,
        b'b' => 0x08,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'u' => return unicode_escape(behind, decoded),
        _ => return Err(JsonError::Syntax),
    };
    decoded.push(plain);
    Ok(behind)
}

/// Reads `XXXX`, or a surrogate pair `XXXX\uXXXX`. Returns the text after it.
fn unicode_escape<'a>(text: &'a [u8], decoded: &mut Vec<u8>) -> Result<&'a [u8], JsonError> {
    let (first, behind) = four_digits(text).ok_or(JsonError::Syntax)?;
    let (scalar, behind) = match first {
        0xd800..=0xdbff => {
            let second = behind.strip_prefix(b"\\u").and_then(four_digits);
            let (low, behind) = second
                .filter(|(low, _)| (0xdc00..=0xdfff).contains(low))
                .ok_or(JsonError::Utf16)?;
            (0x1_0000 + ((first - 0xd800) << 10) + (low - 0xdc00), behind)
        }
        _ => (first, behind),
    };
    let scalar = char::from_u32(scalar).ok_or(JsonError::Utf16)?;
    decoded.extend_from_slice(scalar.encode_utf8(&mut [0; 4]).as_bytes());
    Ok(behind)
}

/// A number of four hexadecimal digits, and the text after it.
fn four_digits(text: &[u8]) -> Option<(u32, &[u8])> {
    let (digits, behind) = text.split_first_chunk::<4>()?;
    let number = digits.iter().try_fold(0, |number, digit| {
        Some(number * 16 + char::from(*digit).to_digit(16)?)
    });
    Some((number?, behind))
}

/// The length of the UTF-8 character at the beginning of a text (RFC 3629: no surrogates, no overlong forms).
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
