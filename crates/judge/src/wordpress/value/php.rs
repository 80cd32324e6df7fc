//! PHP values that a request can carry.

use super::php_array::PhpArray;

/// A PHP value, as the query, a form or a JSON body gives it.
///
/// Strings are bytes, as in PHP, because a query may carry any bytes. Numbers keep the text in which they
/// were sent, so forwarding never rounds them.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// JSON `null`.
    Null,
    /// JSON `true` or `false`.
    Bool(bool),
    /// A JSON number.
    Number(Number),
    /// Text: every scalar of a query or form is one.
    String(Box<[u8]>),
    /// A PHP array: a list or a map.
    Array(PhpArray),
}

/// A JSON number with its exact spelling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number {
    text: NumberText,
}

/// Most numbers are short and need no memory of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
enum NumberText {
    /// The text, and zeros up to the end.
    Short { length: u8, text: [u8; 14] },
    /// A pointer of one word keeps [`Value`] small.
    Long(Box<Box<str>>),
}

/// A key of a PHP array: decimal integers are numbers, everything else is text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// An integer key.
    Int(i64),
    /// A text key.
    Text(Box<[u8]>),
}

/// A key of an array, borrowed from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyRef<'a> {
    /// An integer key.
    Int(i64),
    /// A text key.
    Text(&'a [u8]),
}

// === impl Value ===

impl Value {
    /// Returns a text value.
    pub fn text(bytes: impl Into<Vec<u8>>) -> Self {
        Self::String(bytes.into().into_boxed_slice())
    }

    /// The bytes of a text value; `None` for other values.
    pub fn as_text(&self) -> Option<&[u8]> {
        match self {
            Self::String(bytes) => Some(bytes),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Array(_) => None,
        }
    }

    /// PHP's `empty()`: true for `""`, `"0"`, zero, `false`, `null` and the empty array.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Bool(value) => !value,
            Self::Number(number) => number.is_zero(),
            Self::String(bytes) => matches!(&**bytes, b"" | b"0"),
            Self::Array(array) => array.is_empty(),
        }
    }
}

// === impl Number ===

impl Number {
    /// A number from its JSON spelling. The caller has checked that `text` follows RFC 8259 section 6.
    pub fn from_json_text(text: impl Into<Box<str>> + AsRef<str>) -> Self {
        let text =
            NumberText::short(text.as_ref()).unwrap_or_else(|| NumberText::Long(Box::new(text.into())));
        Self { text }
    }

    /// The spelling in which it was sent.
    pub fn as_str(&self) -> &str {
        match &self.text {
            NumberText::Short { length, text } => {
                let text = text.get(..usize::from(*length)).unwrap_or_default();
                std::str::from_utf8(text).unwrap_or_default()
            }
            NumberText::Long(text) => text,
        }
    }

    /// The integer that PHP decodes; `None` if PHP makes it a float (fraction, exponent, overflow, `-0`).
    pub fn as_int(&self) -> Option<i64> {
        let text = self.as_str();
        if text == "-0" {
            return None;
        }
        text.parse().ok()
    }

    /// The number as PHP's float; infinite if it overflows.
    pub fn as_float(&self) -> f64 {
        self.as_str().parse().unwrap_or(f64::NAN)
    }

    fn is_zero(&self) -> bool {
        self.as_float() == 0.0
    }
}

// === impl NumberText ===

impl NumberText {
    fn short(text: &str) -> Option<Self> {
        let mut bytes = [0; 14];
        bytes.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
        Some(Self::Short {
            length: u8::try_from(text.len()).ok()?,
            text: bytes,
        })
    }
}

// === impl Key ===

impl Key {
    /// The key that PHP makes of this text: a canonical decimal integer becomes a number.
    pub fn from_bytes(text: impl Into<Vec<u8>>) -> Self {
        let text = text.into();
        match canonical_int(&text) {
            Some(number) => Self::Int(number),
            None => Self::Text(text.into_boxed_slice()),
        }
    }

    /// The same key, borrowed.
    pub fn as_ref(&self) -> KeyRef<'_> {
        match self {
            Self::Int(number) => KeyRef::Int(*number),
            Self::Text(text) => KeyRef::Text(text),
        }
    }
}

// === impl KeyRef ===

impl KeyRef<'_> {
    /// The key as text.
    pub fn to_bytes(self) -> Vec<u8> {
        match self {
            Self::Int(number) => number.to_string().into_bytes(),
            Self::Text(text) => text.to_vec(),
        }
    }
}

/// True for `0`, `-5`, `17`, but not for `-0`, `007`, `+1` or any number past 64 bits.
fn canonical_int(text: &[u8]) -> Option<i64> {
    let number: i64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    (number.to_string().as_bytes() == text).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_three_words_for_a_value_and_two_for_a_key() {
        assert_eq!((size_of::<Value>(), size_of::<Key>()), (24, 16));
    }

    #[test]
    fn keeps_every_spelling_of_a_number() {
        for text in [
            "0",
            "-0",
            "1.5e-3",
            "12345678901234",
            "123456789012345",
            "1234567890123456789012345",
        ] {
            assert_eq!(Number::from_json_text(text).as_str(), text);
        }
    }
}
