//! The tokens of a JSON text, as PHP's scanner finds them.

use super::json_error::JsonError;
use super::json_text::{RawText, utf8_length};

/// A token; texts and numbers borrow their bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonToken<'a> {
    /// The end of the text.
    End,
    /// `,`
    Comma,
    /// `:`
    Colon,
    /// `[`
    OpenList,
    /// `]`
    CloseList,
    /// `{`
    OpenMap,
    /// `}`
    CloseMap,
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number as it is spelt.
    Number(&'a str),
    /// A string.
    Text(RawText<'a>),
}

/// Reads a JSON text token by token; it does not check their order.
#[derive(Debug)]
pub struct JsonTokens<'a> {
    rest: &'a [u8],
}

// === impl JsonTokens ===

impl<'a> JsonTokens<'a> {
    /// The tokens of a text.
    pub const fn new(text: &'a [u8]) -> Self {
        Self { rest: text }
    }

    /// The next token, after white space; [`JsonToken::End`] once the text is read.
    ///
    /// # Errors
    /// The error that PHP reports for bytes that do not begin a token.
    #[expect(
        clippy::should_implement_trait,
        reason = "the end of the text is a token, which the readers expect like any other"
    )]
    pub fn next(&mut self) -> Result<JsonToken<'a>, JsonError> {
        while let [b' ' | b'\t' | b'\n' | b'\r', rest @ ..] = self.rest {
            self.rest = rest;
        }
        let [first, behind @ ..] = self.rest else {
            return Ok(JsonToken::End);
        };
        let single = match first {
            b',' => JsonToken::Comma,
            b':' => JsonToken::Colon,
            b'[' => JsonToken::OpenList,
            b']' => JsonToken::CloseList,
            b'{' => JsonToken::OpenMap,
            b'}' => JsonToken::CloseMap,
            b'"' => {
                let (text, behind) = RawText::read(behind)?;
                self.rest = behind;
                return Ok(JsonToken::Text(text));
            }
            b'-' | b'0'..=b'9' => return self.number(),
            _ => return self.literal(),
        };
        self.rest = behind;
        Ok(single)
    }

    fn number(&mut self) -> Result<JsonToken<'a>, JsonError> {
        let length = number_length(self.rest).ok_or(JsonError::Syntax)?;
        let (text, rest) = self.rest.split_at(length);
        self.rest = rest;
        let text = std::str::from_utf8(text).map_err(|_| JsonError::Syntax)?;
        Ok(JsonToken::Number(text))
    }

    fn literal(&mut self) -> Result<JsonToken<'a>, JsonError> {
        let literals: [(&[u8], JsonToken<'a>); 3] = [
            (b"true", JsonToken::Bool(true)),
            (b"false", JsonToken::Bool(false)),
            (b"null", JsonToken::Null),
        ];
        for (word, token) in literals {
            if let Some(rest) = self.rest.strip_prefix(word) {
                self.rest = rest;
                return Ok(token);
            }
        }
        Err(stray(self.rest))
    }
}

/// The length of the longest number a text begins with; none after a lone minus sign.
fn number_length(text: &[u8]) -> Option<usize> {
    let digits = |from: usize| {
        let digits = text.iter().skip(from);
        digits.take_while(|byte| byte.is_ascii_digit()).count()
    };
    let sign = usize::from(text.first() == Some(&b'-'));
    let mut length = match text.get(sign)? {
        b'0' => sign + 1,
        b'1'..=b'9' => sign + digits(sign),
        _ => return None,
    };
    if text.get(length) == Some(&b'.') && digits(length + 1) > 0 {
        length += 1 + digits(length + 1);
    }
    if matches!(text.get(length), Some(b'e' | b'E')) {
        let signed = usize::from(matches!(text.get(length + 1), Some(b'+' | b'-')));
        let exponent = length + 1 + signed;
        if digits(exponent) > 0 {
            length = exponent + digits(exponent);
        }
    }
    Some(length)
}

/// PHP's error for a byte that does not begin a token.
fn stray(rest: &[u8]) -> JsonError {
    match rest.first() {
        Some(0..=0x1f) => JsonError::ControlCharacter,
        Some(0x80..) if utf8_length(rest).is_none() => JsonError::Utf8,
        _ => JsonError::Syntax,
    }
}
