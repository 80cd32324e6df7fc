//! Weights of what a client accepts (RFC 9110 section 12.4.2).

/// Thousandths of a weight.
pub(super) type Weight = u16;

/// The weight of `q=0.5`: a number from 0 to 1 with at most three digits behind the point.
pub(super) fn weight(parameter: &str) -> Option<Weight> {
    let value = parameter
        .strip_prefix("q=")
        .or_else(|| parameter.strip_prefix("Q="))?;
    let (whole, digits) = value.split_once('.').unwrap_or((value, ""));
    if digits.len() > 3 || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let digit = |at: usize| {
        digits
            .as_bytes()
            .get(at)
            .map_or(0, |digit| Weight::from(digit - b'0'))
    };
    let thousandths = 100 * digit(0) + 10 * digit(1) + digit(2);
    match whole {
        "0" => Some(thousandths),
        "1" if thousandths == 0 => Some(1000),
        _ => None,
    }
}
