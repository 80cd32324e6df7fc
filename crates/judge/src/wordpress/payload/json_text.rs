//! The content of a JSON string, with PHP's errors.

use super::json_error::JsonError;
use crate::wordpress::value::split_while;

/// The inside of a valid string, with its escapes; two are equal if they have the same escapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawText<'a> {
    sent: &'a [u8],
}

// === impl RawText ===

impl<'a> RawText<'a> {
    /// Reads a string after its opening quote, and what follows the closing quote.
    pub(super) fn read(text: &'a [u8]) -> Result<(Self, &'a [u8]), JsonError> {
        let behind = string(text, |_| {})?;
        let (sent, _) = text.split_at(text.len() - behind.len());
        Ok((Self { sent }, behind))
    }

    /// The text that it means, in UTF-8.
    ///
    /// # Errors
    /// Never for a text of [`JsonTokens`](super::JsonTokens), which reads each text to its end.
    pub fn decode(self) -> Result<Vec<u8>, JsonError> {
        let mut decoded = Vec::with_capacity(self.sent.len() - 1);
        string(self.sent, |bytes| decoded.extend_from_slice(bytes))?;
        Ok(decoded)
    }
}

/// Reads a string after its opening quote; what follows the closing quote.
fn string(text: &[u8], mut take: impl FnMut(&[u8])) -> Result<&[u8], JsonError> {
    let is_plain = |byte: u8| (0x20..0x80).contains(&byte) && !matches!(byte, b'"' | b'\\');
    let mut text = text;
    loop {
        let (plain, rest) = split_while(text, is_plain);
        take(plain);
        text = match rest {
            [] | [0..=0x1f, ..] => return Err(JsonError::ControlCharacter),
            [b'"', behind @ ..] => return Ok(behind),
            [b'\\', escaped @ ..] => escape(escaped, &mut take)?,
            _ => {
                let (character, behind) = rest.split_at(utf8_length(rest).ok_or(JsonError::Utf8)?);
                take(character);
                behind
            }
        };
    }
}

/// Reads an escape after its backslash; what follows it.
fn escape<'a>(text: &'a [u8], take: &mut impl FnMut(&[u8])) -> Result<&'a [u8], JsonError> {
    let (kind, behind) = text.split_first().ok_or(JsonError::Syntax)?;
    let plain = match kind {
        b'"' | b'\\' | b'/' => *kind,
        b'b' => 0x08,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'u' => return unicode_escape(behind, take),
        _ => return Err(JsonError::Syntax),
    };
    take(&[plain]);
    Ok(behind)
}

/// Reads `XXXX`, or a surrogate pair `XXXX\uXXXX`; what follows it.
fn unicode_escape<'a>(text: &'a [u8], take: &mut impl FnMut(&[u8])) -> Result<&'a [u8], JsonError> {
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
    take(scalar.encode_utf8(&mut [0; 4]).as_bytes());
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
