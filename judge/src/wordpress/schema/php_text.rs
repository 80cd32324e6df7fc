//! The texts that PHP makes of other scalars, and comparisons of numbers.

use std::cmp::Ordering;

use crate::wordpress::value::Value;
use crate::wordpress::value::numeric::{Numeric, numeric};

/// How many digits of a float PHP writes (its setting `precision`).
const PRECISION: usize = 14;

/// PHP's text of a scalar; none for an array.
pub(super) fn text_of(value: &Value) -> Option<Vec<u8>> {
    Some(match value {
        Value::Null | Value::Bool(false) => Vec::new(),
        Value::Bool(true) => b"1".to_vec(),
        Value::Number(number) => match number.as_int() {
            Some(int) => int.to_string().into_bytes(),
            None => float_text(number.as_float()).into_bytes(),
        },
        Value::String(text) => text.to_vec(),
        Value::Array(_) => return None,
    })
}

/// PHP's text of a float: 14 digits, and an exponent beyond them.
pub(super) fn float_text(float: f64) -> String {
    if float.is_infinite() {
        return if float > 0.0 { "INF" } else { "-INF" }.to_owned();
    }
    let written = format!("{float:.*e}", PRECISION - 1);
    let (mantissa, exponent) = written.split_once('e').unwrap_or((&written, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if float != 0.0 && !(-4..14).contains(&exponent) {
        let mantissa = mantissa.trim_end_matches('0');
        let zero = if mantissa.ends_with('.') { "0" } else { "" };
        return format!("{mantissa}{zero}E{exponent:+}");
    }
    let decimals = usize::try_from(13 - exponent).unwrap_or_default();
    let plain = format!("{float:.decimals$}");
    if plain.contains('.') {
        plain.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        plain
    }
}

/// The number that PHP calculates with, if the value is one for `is_numeric`.
pub(super) fn number_of(value: &Value) -> Option<Numeric> {
    match value {
        Value::Number(number) => Some(
            number
                .as_int()
                .map_or_else(|| Numeric::Float(number.as_float()), Numeric::Int),
        ),
        Value::String(text) => numeric(text),
        Value::Null | Value::Bool(_) | Value::Array(_) => None,
    }
}

/// PHP compares two integers exactly, and everything else as floats.
pub(super) fn compare(left: Numeric, right: Numeric) -> Ordering {
    match (left, right) {
        (Numeric::Int(left), Numeric::Int(right)) => left.cmp(&right),
        _ => left
            .as_float()
            .partial_cmp(&right.as_float())
            .unwrap_or(Ordering::Equal),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written by PHP 8.2.
    #[test]
    fn floats_are_written_as_php_does() {
        for (float, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (0.5, "0.5"),
            (5.0, "5"),
            (-2.25, "-2.25"),
            (0.1 + 0.2, "0.3"),
            (1e13, "10000000000000"),
            (1e14, "1.0E+14"),
            (1e15, "1.0E+15"),
            (1.5e25, "1.5E+25"),
            (0.0001, "0.0001"),
            (0.00001, "1.0E-5"),
            (123_456_789.123_456_79, "123456789.12346"),
            (f64::INFINITY, "INF"),
        ] {
            assert_eq!(float_text(float), text);
        }
    }
}
