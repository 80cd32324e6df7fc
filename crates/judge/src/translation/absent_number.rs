//! Numbers that no record of WordPress can have.

/// The number at the end of a target's path, as PHP reads it, if no record can have it: zero, or PHP's largest, which it
/// takes for every larger one. None for others.
pub fn absent_number(target: &str) -> Option<u64> {
    let (largest, path) = (i64::MAX.unsigned_abs(), target.split('?').next()?);
    let digits = path.rsplit('/').next()?;
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number = digits.parse().map_or(largest, |number: u64| number.min(largest));
    (number == 0 || number == largest).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_and_what_is_too_large_for_php_name_no_record() {
        for (target, expected) in [
            ("/events/0", Some(0)),
            ("/events/00?x=1", Some(0)),
            ("/events/9223372036854775807", Some(9_223_372_036_854_775_807)),
            ("/events/99999999999999999999999", Some(9_223_372_036_854_775_807)),
            ("/events/9223372036854775806", None),
            ("/events/7", None),
            ("/events/7?page=0", None),
            ("/events/", None),
            ("/events", None),
        ] {
            assert_eq!(absent_number(target), expected, "{target}");
        }
    }
}
