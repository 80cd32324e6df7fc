//! Whole numbers: WordPress's schema type `integer` and the plugin's "positive int".

use super::Value;
use super::numeric::{Numeric, numeric};

/// True if WordPress accepts the value for the schema type `integer` (`rest_is_integer`,
/// backend.md section 5).
///
/// The value must be numeric, without a fraction, of any size: `29`, ` 29`, `29.0`, `2.9e1`, and even
/// `1e400`, which is infinite in PHP and equal to itself when rounded. `true` and text that only starts with
/// a number are not accepted.
pub fn is_integer(value: &Value) -> bool {
    number_of(value).is_some_and(|number| match number {
        Numeric::Int(_) => true,
        Numeric::Float(float) => float.is_infinite() || float.fract() == 0.0,
    })
}

/// True if the plugin accepts the value as a positive integer (backend.md section 5).
///
/// The value must be numeric, equal to its own `(int)`, and above zero: `1`, `01`, `1.0`, ` 1`, `1e1`. The
/// text 2^63 equals the largest integer after rounding and is accepted. As a JSON number, 2^63 wraps around
/// and is not accepted.
pub fn is_positive_int(value: &Value) -> bool {
    match number_of(value) {
        Some(Numeric::Int(int)) => int > 0,
        Some(Numeric::Float(float)) => float >= 1.0 && float.fract() == 0.0 && float <= largest(value),
        None => false,
    }
}

/// 2^63, exactly.
const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;

/// The largest float that equals its own `(int)`: text saturates, JSON numbers wrap.
fn largest(value: &Value) -> f64 {
    match value {
        Value::Number(_) => TWO_TO_63.next_down(),
        _ => TWO_TO_63,
    }
}

/// The number that PHP's `is_numeric` sees in a value.
fn number_of(value: &Value) -> Option<Numeric> {
    match value {
        Value::String(text) => numeric(text),
        Value::Number(number) => Some(match number.as_int() {
            Some(int) => Numeric::Int(int),
            None => Numeric::Float(number.as_float()),
        }),
        Value::Null | Value::Bool(_) | Value::Array(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wordpress::value::{Number, PhpArray, fixture};

    fn number(text: &str) -> Value {
        Value::Number(Number::from_json_text(text))
    }

    #[test]
    fn judges_every_text_as_php_does() {
        for (text, columns) in fixture::rows(include_str!("../../../../../fixtures/numeric/cases.tsv")) {
            let shown = fixture::escape(&text);
            let value = Value::text(text.as_slice());
            assert_eq!(is_integer(&value).to_string(), columns[3], "integer: {shown}");
            assert_eq!(
                is_positive_int(&value).to_string(),
                columns[4],
                "positive: {shown}"
            );
        }
    }

    #[test]
    fn judges_json_numbers() {
        let cases = [
            ("1", true, true),
            ("0", true, false),
            ("-0", true, false),
            ("-5", true, false),
            ("1.0", true, true),
            ("1.5", false, false),
            ("1e2", true, true),
            ("1e-2", false, false),
            ("9223372036854775807", true, true),
            ("9223372036854775808", true, false),
            ("9223372036854774784.0", true, true),
            ("1e19", true, false),
            ("1e400", true, false),
        ];
        for (text, integer, positive) in cases {
            assert_eq!(is_integer(&number(text)), integer, "integer: {text}");
            assert_eq!(is_positive_int(&number(text)), positive, "positive: {text}");
        }
    }

    #[test]
    fn refuses_values_that_are_not_numbers() {
        for value in [
            Value::Null,
            Value::Bool(true),
            Value::Array(PhpArray::list([Value::text("1")])),
        ] {
            assert!(!is_integer(&value), "{value:?}");
            assert!(!is_positive_int(&value), "{value:?}");
        }
    }
}
