//! WordPress's schema type `boolean`: the request values that count as true or false.

use super::Value;

/// True if WordPress accepts the value for the schema type `boolean` (`rest_is_boolean`,
/// backend.md section 5).
///
/// The accepted texts are `true` and `false` (any case), `0` and `1`, in no other spelling. The accepted JSON
/// numbers are the integers 0 and 1; `1.0` and `-0` are floats in PHP and are not accepted.
pub fn is_boolean(value: &Value) -> bool {
    match value {
        Value::Bool(_) => true,
        Value::Number(number) => matches!(number.as_int(), Some(0 | 1)),
        Value::String(text) => {
            **text == *b"0"
                || **text == *b"1"
                || text.eq_ignore_ascii_case(b"true")
                || text.eq_ignore_ascii_case(b"false")
        }
        Value::Null | Value::Array(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wordpress::value::{Number, PhpArray};

    fn number(text: &str) -> Value {
        Value::Number(Number::from_json_text(text))
    }

    #[test]
    fn takes_wordpress_spellings() {
        for text in ["true", "false", "TRUE", "False", "0", "1"] {
            assert!(is_boolean(&Value::text(text)), "{text}");
        }
        for value in [Value::Bool(true), Value::Bool(false), number("0"), number("1")] {
            assert!(is_boolean(&value), "{value:?}");
        }
    }

    #[test]
    fn refuses_everything_else() {
        for text in [
            "", " true", "true ", "yes", "no", "on", "off", "2", "01", "-1", "1.0", "null", "t", "true\0",
        ] {
            assert!(!is_boolean(&Value::text(text)), "{text:?}");
        }
        for text in ["2", "-1", "1.0", "0.0", "-0", "1e0", "99999999999999999999"] {
            assert!(!is_boolean(&number(text)), "{text}");
        }
        for value in [Value::Null, Value::Array(PhpArray::default())] {
            assert!(!is_boolean(&value), "{value:?}");
        }
    }
}
