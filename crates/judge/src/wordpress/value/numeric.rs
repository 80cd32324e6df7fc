//! PHP's numeric strings: the texts that are numbers, and the number that a text is cast to.
//!
//! The rules are those of PHP 8 on a 64-bit machine. White space around a number is space, tab, LF, CR,
//! vertical tab and form feed. `fixtures/numeric/cases.tsv` proves the rules against PHP.

/// The number that a numeric string represents.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Numeric {
    /// Digits only, within 64 bits.
    Int(i64),
    /// A number with a fraction or an exponent, or an integer past 64 bits; infinite beyond the range of a
    /// double.
    Float(f64),
}

// === impl Numeric ===

impl Numeric {
    /// The result of PHP's `(int)` cast from text: the fraction is cut off, the value saturates at 64 bits,
    /// and infinity becomes 0.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "`as` cuts and saturates exactly as PHP does for text"
    )]
    fn as_int(self) -> i64 {
        match self {
            Self::Int(number) => number,
            Self::Float(number) if number.is_infinite() => 0,
            Self::Float(number) => number as i64,
        }
    }
}

/// The number that the whole text represents, ignoring white space around it; `None` if PHP's `is_numeric` is
/// false.
pub fn numeric(bytes: &[u8]) -> Option<Numeric> {
    let (spelling, rest) = NumericText::leading(bytes)?;
    rest.iter().all(|&byte| is_blank(byte)).then(|| spelling.number())
}

/// PHP's `is_numeric` for a text.
pub fn is_numeric(bytes: &[u8]) -> bool {
    numeric(bytes).is_some()
}

/// PHP's `(int)` for a text: the number it starts with, or 0. It saturates at 64 bits, but a number that is
/// infinite even as a double (`1e400`) becomes 0.
pub fn int_prefix(bytes: &[u8]) -> i64 {
    NumericText::leading(bytes).map_or(0, |(spelling, _)| spelling.number().as_int())
}

/// True for the white space that PHP allows around numbers.
pub fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

/// The longest number at the start of a text, as it is written.
struct NumericText<'a> {
    text: &'a str,
    whole: bool,
}

impl<'a> NumericText<'a> {
    /// The number after leading white space, and the rest behind it.
    fn leading(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let bytes = bytes.get(count(bytes, is_blank)..)?;
        let sign = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
        let digits = digits_at(bytes, sign);
        let has_point = bytes.get(sign + digits) == Some(&b'.');
        let fraction = if has_point {
            digits_at(bytes, sign + digits + 1)
        } else {
            0
        };
        if digits + fraction == 0 {
            return None;
        }
        let mantissa = sign + digits + usize::from(has_point) + fraction;
        let exponent = exponent_at(bytes, mantissa);
        let (text, rest) = bytes.split_at_checked(mantissa + exponent)?;
        let text = std::str::from_utf8(text).ok()?;
        let whole = !has_point && exponent == 0;
        Some((Self { text, whole }, rest))
    }

    fn number(&self) -> Numeric {
        match self.text.parse() {
            Ok(int) if self.whole => Numeric::Int(int),
            _ => Numeric::Float(self.float()),
        }
    }

    fn float(&self) -> f64 {
        self.text
            .parse()
            .expect("a sign, digits, a point and an exponent are also Rust's syntax of a float")
    }
}

/// The length of an exponent such as `e5`, `E+5` or `e-05` at this position; 0 if there is no complete
/// exponent.
fn exponent_at(text: &[u8], place: usize) -> usize {
    if !matches!(text.get(place), Some(b'e' | b'E')) {
        return 0;
    }
    let sign = usize::from(matches!(text.get(place + 1), Some(b'+' | b'-')));
    match digits_at(text, place + 1 + sign) {
        0 => 0,
        digits => 1 + sign + digits,
    }
}

fn digits_at(text: &[u8], place: usize) -> usize {
    text.get(place..)
        .map_or(0, |rest| count(rest, |byte| byte.is_ascii_digit()))
}

fn count(bytes: &[u8], matches: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|&&byte| matches(byte)).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::wordpress::value::fixture;

    const CASES: &str = include_str!("../../../../../fixtures/numeric/cases.tsv");

    #[test]
    fn reads_every_text_as_php_does() {
        let cases = fixture::rows(CASES);
        assert!(cases.len() >= 700, "the table is complete");
        for (text, columns) in cases {
            let shown = fixture::escape(&text);
            assert_eq!(
                describe(numeric(&text)),
                describe(parse(columns[0])),
                "number of {shown}"
            );
            assert_eq!(int_prefix(&text).to_string(), columns[1], "(int) of {shown}");
            let float: f64 = columns[2].parse().unwrap();
            assert_eq!(
                float_value(&text).to_bits(),
                float.to_bits(),
                "(float) of {shown}"
            );
        }
    }

    /// PHP's `(float)` for a text: the number it starts with, or 0; `-0` keeps its sign.
    fn float_value(bytes: &[u8]) -> f64 {
        NumericText::leading(bytes).map_or(0.0, |(spelling, _)| spelling.float())
    }

    fn parse(column: &str) -> Option<Numeric> {
        let (kind, number) = column.split_once(' ')?;
        Some(match kind {
            "int" => Numeric::Int(number.parse().unwrap()),
            _ => Numeric::Float(number.parse().unwrap()),
        })
    }

    fn describe(number: Option<Numeric>) -> String {
        format!("{number:?}")
    }

    proptest! {
        #[test]
        fn never_panics_on_bytes(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let number = numeric(&bytes);
            prop_assert_eq!(number.is_some(), is_numeric(&bytes));
            int_prefix(&bytes);
            float_value(&bytes);
        }

        #[test]
        fn reads_back_every_integer_and_float(int: i64, float in prop::num::f64::NORMAL) {
            prop_assert_eq!(numeric(int.to_string().as_bytes()), Some(Numeric::Int(int)));
            prop_assert_eq!(numeric(format!("{float:e}").as_bytes()), Some(Numeric::Float(float)));
        }
    }
}
