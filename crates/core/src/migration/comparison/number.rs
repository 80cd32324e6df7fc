//! Numbers compared by their value, whatever their size and spelling.

/// A decimal number: its sign, its digits without zeros at either end, and the power of ten of the last digit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ExactNumber {
    is_negative: bool,
    digits: String,
    exponent: i64,
}

// === impl ExactNumber ===

impl ExactNumber {
    /// Reads the JSON spelling of a number; none for other texts, such as `01`, ` 1` or `+1`.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (is_negative, rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, power) = match rest.split_once(['e', 'E']) {
            Some((mantissa, power)) => (mantissa, exponent(power)?),
            None => (rest, 0),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((whole, fraction)) => (whole, digits(fraction)?),
            None => (mantissa, ""),
        };
        let whole = digits(whole).filter(|whole| whole.len() == 1 || !whole.starts_with('0'))?;
        let all = format!("{whole}{fraction}");
        let kept = all.trim_end_matches('0');
        let cut = i64::try_from(all.len() - kept.len()).ok()?;
        let places = i64::try_from(fraction.len()).ok()?;
        let digits = kept.trim_start_matches('0').to_owned();
        let is_zero = digits.is_empty();
        Some(Self {
            is_negative: is_negative && !is_zero,
            exponent: if is_zero { 0 } else { power - places + cut },
            digits,
        })
    }
}

fn digits(text: &str) -> Option<&str> {
    (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then_some(text)
}

/// An exponent of at most nine digits; longer ones are not read as a number.
fn exponent(text: &str) -> Option<i64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    digits(unsigned).filter(|digits| digits.len() <= 9)?;
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_are_equal_in_every_spelling() {
        for (one, other) in [
            ("5", "5.0"),
            ("500", "5e2"),
            ("0.05", "5E-2"),
            ("-0", "0.00"),
            ("100", "1.00e+2"),
            ("12345678901234567890123", "1.2345678901234567890123e22"),
        ] {
            assert_eq!(ExactNumber::read(one), ExactNumber::read(other), "{one} {other}");
        }
        assert_ne!(ExactNumber::read("5"), ExactNumber::read("-5"));
        assert_ne!(
            ExactNumber::read("9007199254740993"),
            ExactNumber::read("9007199254740992")
        );
    }

    #[test]
    fn other_texts_are_no_numbers() {
        for text in [
            "",
            "01",
            "+1",
            " 1",
            "1.",
            ".5",
            "1e",
            "0x1",
            "-",
            "1e99999999999",
        ] {
            assert_eq!(ExactNumber::read(text), None, "{text}");
        }
    }
}
