//! JSON bodies as PHP's `json_decode` reads them, with its error codes (backend.md sections 3 and 4).

use super::json_error::{JsonError, JsonRefusal};
use super::json_members::merge;
use super::json_outline::outline;
use super::json_tokens::{JsonToken, JsonTokens};
use crate::wordpress::value::{Key, Number, PhpArray, Value};

/// PHP's own nesting limit; callers may set a lower one.
pub const PHP_DEPTH: usize = 512;

/// Decodes a JSON text nested at most `depth` deep, with at most [`ELEMENT_LIMIT`](super::ELEMENT_LIMIT) elements.
///
/// Keys keep their first place and their last value; numbers keep their spelling; literals are lower case. The
/// value takes 24 bytes for each element, 40 for each member, and the bytes of texts and long numbers.
///
/// # Errors
/// The first error PHP would report, or more elements before it. Nothing is built then.
pub fn parse_json(text: &[u8], depth: usize) -> Result<Value, JsonRefusal> {
    Ok(Builder::new(text, depth)?.value()?)
}

/// Properties of a JSON text that the strict profile checks beside its value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
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
pub fn json_shape(text: &[u8], depth: usize) -> Result<JsonShape, JsonRefusal> {
    let mut builder = Builder::new(text, depth)?;
    if let Value::Array(object) = builder.value()?
        && !object.is_list()
    {
        let names = object.entries().map(|(key, _)| key.to_bytes());
        builder.shape.names = Some(names.collect());
    }
    Ok(builder.shape)
}

/// Builds the value of a text that is known to be valid, each array in its final size.
struct Builder<'a> {
    tokens: JsonTokens<'a>,
    /// The sizes of the arrays that are still to come.
    sizes: std::vec::IntoIter<u16>,
    shape: JsonShape,
}

// === impl Builder ===

impl<'a> Builder<'a> {
    fn new(text: &'a [u8], depth: usize) -> Result<Self, JsonRefusal> {
        Ok(Self {
            tokens: JsonTokens::new(text),
            sizes: outline(text, depth)?.into_iter(),
            shape: JsonShape::default(),
        })
    }

    fn next_size(&mut self) -> usize {
        self.sizes.next().map_or(0, usize::from)
    }

    fn value(&mut self) -> Result<Value, JsonError> {
        match self.tokens.next()? {
            JsonToken::Null => Ok(Value::Null),
            JsonToken::Bool(value) => Ok(Value::Bool(value)),
            JsonToken::Number(text) => Ok(Value::Number(Number::from_json_text(text))),
            JsonToken::Text(text) => Ok(Value::text(text.decode()?)),
            JsonToken::OpenList => self.list(),
            JsonToken::OpenMap => self.map(),
            JsonToken::End
            | JsonToken::Comma
            | JsonToken::Colon
            | JsonToken::CloseList
            | JsonToken::CloseMap => Err(JsonError::Syntax),
        }
    }

    fn list(&mut self) -> Result<Value, JsonError> {
        let size = self.next_size();
        let mut values = Vec::with_capacity(size);
        for _ in 0..size {
            values.push(self.value()?);
            // A comma or the end of the list.
            self.tokens.next()?;
        }
        if size == 0 {
            self.tokens.next()?;
        }
        self.shape.longest_list = self.shape.longest_list.max(size);
        Ok(Value::Array(PhpArray::list(values)))
    }

    fn map(&mut self) -> Result<Value, JsonError> {
        let size = self.next_size();
        let mut sent = Vec::with_capacity(size);
        for _ in 0..size {
            sent.push(self.member()?);
            // A comma or the end of the object.
            self.tokens.next()?;
        }
        if size == 0 {
            self.tokens.next()?;
        }
        let (members, is_repeated) = merge(sent);
        self.shape.duplicates |= is_repeated;
        self.shape.largest_object = self.shape.largest_object.max(members.len());
        Ok(Value::Array(PhpArray::from_distinct(members)))
    }

    fn member(&mut self) -> Result<(Key, Value), JsonError> {
        let JsonToken::Text(key) = self.tokens.next()? else {
            return Err(JsonError::Syntax);
        };
        let key = Key::from_bytes(key.decode()?);
        // The colon.
        self.tokens.next()?;
        Ok((key, self.value()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wordpress::payload::elements::ELEMENT_LIMIT;
    use crate::wordpress::value::KeyRef;

    fn code(text: &[u8]) -> u8 {
        match parse_json(text, PHP_DEPTH) {
            Ok(_) => 0,
            Err(JsonRefusal::Invalid(error)) => error.code(),
            Err(refusal @ JsonRefusal::TooManyElements) => panic!("{refusal}"),
        }
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
    fn refuses_the_first_element_beyond_the_limit() {
        let list = |count: usize| format!("[{}0]", "0,".repeat(count - 1));
        let objects = |count: usize| format!("[{}{{}}]", "{\"a\":0},".repeat(count / 2));
        assert_eq!(code(list(ELEMENT_LIMIT).as_bytes()), 0);
        let refusal = Err(JsonRefusal::TooManyElements);
        for text in [
            list(ELEMENT_LIMIT + 1),
            objects(ELEMENT_LIMIT),
            // Refused there, and not at the error that follows.
            format!("[{}", "0,".repeat(ELEMENT_LIMIT + 1)),
        ] {
            assert_eq!(parse_json(text.as_bytes(), 8), refusal);
        }
        assert_eq!(code(format!("[{}", "0,".repeat(ELEMENT_LIMIT - 1)).as_bytes()), 4);
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
        assert_eq!(
            object.entries().next().map(|(key, _)| key),
            Some(KeyRef::Text(b"a"))
        );
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
        assert_eq!(crate::wordpress::value::to_json(&value).expect("UTF-8"), text);
    }

    proptest::proptest! {
        #[test]
        fn takes_any_bytes(text: Vec<u8>) {
            let _ = parse_json(&text, PHP_DEPTH);
        }

        #[test]
        fn merges_members_as_an_array_does(
            members in proptest::collection::vec(("[ab01]{0,2}", 0u8..), 0..24),
        ) {
            let mut expected = PhpArray::from_distinct(Vec::new());
            let mut text = Vec::new();
            for (key, value) in &members {
                let value = value.to_string();
                text.push(format!("\"{key}\":{value}"));
                let value = Value::Number(Number::from_json_text(value));
                expected.insert(Key::from_bytes(key.as_bytes()), value);
            }
            let text = format!("{{{}}}", text.join(","));
            let shape = json_shape(text.as_bytes(), 1).expect("JSON");
            proptest::prop_assert_eq!(shape.duplicates, expected.len() < members.len());
            proptest::prop_assert_eq!(shape.largest_object, expected.len());
            proptest::prop_assert_eq!(parse_json(text.as_bytes(), 1), Ok(Value::Array(expected)));
        }

        #[test]
        fn accepts_whatever_it_writes(text in "[\\[\\]{}\",:0-9a-z\\\\ ]{0,40}") {
            if let Ok(value) = parse_json(text.as_bytes(), PHP_DEPTH) {
                let written = crate::wordpress::value::to_json(&value).expect("UTF-8");
                proptest::prop_assert_eq!(parse_json(&written, PHP_DEPTH), Ok(value));
            }
        }
    }
}
