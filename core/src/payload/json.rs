//! JSON bodies as PHP's `json_decode` reads them, with its error codes (backend.md sections 3 and 4).

use super::json_error::JsonError;
use super::json_members::Members;
use super::json_text::string;
use crate::value::{ArrayKind, Key, Number, PhpArray, Value};

/// PHP's own nesting limit; callers may set a lower one.
pub const PHP_DEPTH: usize = 512;

/// Decodes a JSON text nested at most `depth` deep.
///
/// A repeated key keeps its first position and gets its last value. Numbers keep their spelling. Literals
/// must be in lower case.
///
/// # Errors
/// The first error that PHP would report.
pub fn parse_json(text: &[u8], depth: usize) -> Result<Value, JsonError> {
    Parser::new(text, depth).whole()
}

/// Properties of a JSON text that the strict profile checks beside its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonShape {
    /// The member names of the outermost object; none if the outermost value is not an object.
    pub names: Option<Vec<Vec<u8>>>,
    /// True if any object contains a member name twice.
    pub duplicates: bool,
    /// Number of members of the largest object.
    pub largest_object: usize,
    /// Number of elements of the longest list.
    pub longest_list: usize,
}

/// Measures the shape of a JSON text nested at most `depth` deep.
///
/// # Errors
/// As [`parse_json`].
pub fn json_shape(text: &[u8], depth: usize) -> Result<JsonShape, JsonError> {
    let mut parser = Parser::new(text, depth);
    let value = parser.whole()?;
    let names = match value {
        Value::Array(object) if object.kind() == ArrayKind::Map => {
            Some(object.entries().iter().map(|(key, _)| key.to_bytes()).collect())
        }
        _ => None,
    };
    let Parser {
        duplicates,
        largest_object,
        longest_list,
        ..
    } = parser;
    Ok(JsonShape {
        names,
        duplicates,
        largest_object,
        longest_list,
    })
}

struct Parser<'a> {
    rest: &'a [u8],
    depth: usize,
    duplicates: bool,
    largest_object: usize,
    longest_list: usize,
}

enum JsonToken {
    End,
    Comma,
    Colon,
    OpenList,
    CloseList,
    OpenMap,
    CloseMap,
    Scalar(Value),
}

// === impl Parser ===

impl<'a> Parser<'a> {
    fn new(text: &'a [u8], depth: usize) -> Self {
        Self {
            rest: text,
            depth,
            duplicates: false,
            largest_object: 0,
            longest_list: 0,
        }
    }

    fn whole(&mut self) -> Result<Value, JsonError> {
        let value = self.value()?;
        match self.token()? {
            JsonToken::End => Ok(value),
            _ => Err(JsonError::Syntax),
        }
    }

    fn value(&mut self) -> Result<Value, JsonError> {
        let token = self.token()?;
        self.value_from(token)
    }

    fn value_from(&mut self, token: JsonToken) -> Result<Value, JsonError> {
        match token {
            JsonToken::Scalar(value) => Ok(value),
            JsonToken::OpenList => self.nested(Self::list),
            JsonToken::OpenMap => self.nested(Self::map),
            JsonToken::End
            | JsonToken::Comma
            | JsonToken::Colon
            | JsonToken::CloseList
            | JsonToken::CloseMap => Err(JsonError::Syntax),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Value, JsonError>) -> Result<Value, JsonError> {
        self.depth = self.depth.checked_sub(1).ok_or(JsonError::Depth)?;
        let value = read(self)?;
        self.depth += 1;
        Ok(value)
    }

    fn list(&mut self) -> Result<Value, JsonError> {
        let mut values = Vec::new();
        let mut token = self.token()?;
        loop {
            match token {
                JsonToken::CloseList if values.is_empty() => break,
                JsonToken::CloseMap if values.is_empty() => return Err(JsonError::StateMismatch),
                _ => values.push(self.value_from(token)?),
            }
            match self.token()? {
                JsonToken::Comma => token = self.token()?,
                JsonToken::CloseList => break,
                JsonToken::CloseMap => return Err(JsonError::StateMismatch),
                _ => return Err(JsonError::Syntax),
            }
        }
        self.longest_list = self.longest_list.max(values.len());
        Ok(Value::Array(PhpArray::list(values)))
    }

    fn map(&mut self) -> Result<Value, JsonError> {
        let mut members = Members::default();
        let mut token = self.token()?;
        loop {
            match token {
                JsonToken::CloseMap if members.is_empty() => break,
                JsonToken::CloseList if members.is_empty() => return Err(JsonError::StateMismatch),
                JsonToken::Scalar(Value::String(key)) => {
                    if !matches!(self.token()?, JsonToken::Colon) {
                        return Err(JsonError::Syntax);
                    }
                    members.set(Key::from_bytes(key), self.value()?);
                }
                _ => return Err(JsonError::Syntax),
            }
            match self.token()? {
                JsonToken::Comma => token = self.token()?,
                JsonToken::CloseMap => break,
                JsonToken::CloseList => return Err(JsonError::StateMismatch),
                _ => return Err(JsonError::Syntax),
            }
        }
        self.duplicates |= members.has_repeated();
        self.largest_object = self.largest_object.max(members.len());
        Ok(Value::Array(members.into_map()))
    }

    fn token(&mut self) -> Result<JsonToken, JsonError> {
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
                let (text, behind) = string(behind)?;
                self.rest = behind;
                return Ok(JsonToken::Scalar(Value::String(text)));
            }
            b'-' | b'0'..=b'9' => return self.number().map(JsonToken::Scalar),
            _ => return self.literal().map(JsonToken::Scalar),
        };
        self.rest = behind;
        Ok(single)
    }

    fn number(&mut self) -> Result<Value, JsonError> {
        let length = number_length(self.rest).ok_or(JsonError::Syntax)?;
        let (text, rest) = self.rest.split_at(length);
        self.rest = rest;
        let text = std::str::from_utf8(text).map_err(|_| JsonError::Syntax)?;
        Ok(Value::Number(Number::from_json_text(text)))
    }

    fn literal(&mut self) -> Result<Value, JsonError> {
        let literals: [(&[u8], Value); 3] = [
            (b"true", Value::Bool(true)),
            (b"false", Value::Bool(false)),
            (b"null", Value::Null),
        ];
        for (word, value) in literals {
            if let Some(rest) = self.rest.strip_prefix(word) {
                self.rest = rest;
                return Ok(value);
            }
        }
        Err(stray(self.rest))
    }
}

/// The length of the longest number at the beginning of a text; `None` after a lone minus sign.
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
        Some(0x80..) if super::json_text::utf8_length(rest).is_none() => JsonError::Utf8,
        _ => JsonError::Syntax,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &[u8]) -> u8 {
        parse_json(text, PHP_DEPTH).err().map_or(0, JsonError::code)
    }

    /// Each expectation is `json_last_error()` of PHP 8.2.
    #[test]
    fn reports_the_error_php_reports() {
        let cases: [(&[u8], u8); 34] = [
            (b"\"\\u12\"", 4),
            (b"\"\\", 4),
            (b"[1,}", 4),
            (b"{\"a\":1,]", 4),
            (b"{\"a\":[}", 2),
            (b"truex", 4),
            (b"", 4),
            (b" ", 4),
            (b"{}", 0),
            (b"TRUE", 4),
            (b"[nUll]", 4),
            (b"{\"a\":False}", 4),
            (b"{\"a\":1,}", 4),
            (b"{'a':1}", 4),
            (b"[1}", 2),
            (b"{\"a\":1]", 2),
            (b"[}", 2),
            (b"{]", 2),
            (b"\"abc", 3),
            (b"\"a\nb\"", 3),
            (b"\x01", 3),
            (b"{}\0", 3),
            (b"\xef\xbb\xbf{}", 4),
            (b"\xff", 5),
            (b"\"\xff\"", 5),
            (b"\"\xed\xa0\x80\"", 5),
            (b"\"\\ud800\"", 10),
            (b"\"\\ud800\\u0041\"", 10),
            (b"\"\\udc00\"", 10),
            (b"\"\\x\"", 4),
            (b"01", 4),
            (b"-", 4),
            (b"1.", 4),
            (b"NaN", 4),
        ];
        for (text, expected) in cases {
            assert_eq!(code(text), expected, "{:?}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn refuses_nesting_beyond_the_limit_only() {
        let nested = |depth: usize| [b"[".repeat(depth), b"]".repeat(depth)].concat();
        assert_eq!(code(&nested(512)), 0);
        assert_eq!(code(&nested(513)), 1);
        assert!(parse_json(&nested(4), 3).is_err());
    }

    #[test]
    fn keeps_the_first_place_and_the_last_value() {
        let many: Vec<String> = (0..40).map(|n| format!("\"k{n}\":0")).collect();
        let many = many.join(",") + ",";
        let text = format!("{{\"a\":1,\"b\":2,\"a\":3,{many}\"k3\":9}}");
        let Ok(Value::Array(object)) = parse_json(text.as_bytes(), 8) else {
            panic!("an object")
        };
        assert_eq!(object.len(), 42);
        assert_eq!(object.entries()[0].0, Key::Text(b"a".to_vec()));
        assert_eq!(object.get("a"), Some(&Value::Number(Number::from_json_text("3"))));
        assert_eq!(
            object.get("k3"),
            Some(&Value::Number(Number::from_json_text("9")))
        );
    }

    #[test]
    fn keeps_numbers_as_they_were_spelt() {
        let text = b"[123456789012345678901234567890,1.50,-0,1E+2]";
        let value = parse_json(text, 8).expect("JSON");
        assert_eq!(crate::value::to_json(&value).expect("UTF-8"), text);
    }

    proptest::proptest! {
        #[test]
        fn takes_any_bytes(text: Vec<u8>) {
            let _ = parse_json(&text, PHP_DEPTH);
        }

        #[test]
        fn accepts_whatever_it_writes(text in "[\\[\\]{}\",:0-9a-z\\\\ ]{0,40}") {
            if let Ok(value) = parse_json(text.as_bytes(), PHP_DEPTH) {
                let written = crate::value::to_json(&value).expect("UTF-8");
                proptest::prop_assert_eq!(parse_json(&written, PHP_DEPTH), Ok(value));
            }
        }
    }
}
