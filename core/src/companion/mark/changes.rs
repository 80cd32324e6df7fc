//! The header in which the companion plugin shows how many changes the site has counted.

use http::{HeaderMap, HeaderName};

/// Shows the number of changes in every REST answer of the site; it never reaches a client.
pub const CHANGES: HeaderName = HeaderName::from_static("x-calendar-edge-changes");

/// The number of changes that an answer shows; none without a companion plugin, or when it is not one number in
/// decimal digits.
pub fn changes(headers: &HeaderMap) -> Option<u64> {
    let mut fields = headers.get_all(CHANGES).iter();
    let (Some(field), None) = (fields.next(), fields.next()) else {
        return None;
    };
    let digits = field.to_str().ok()?;
    let is_canonical =
        digits.bytes().all(|byte| byte.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    digits.parse().ok().filter(|_| is_canonical)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn shown(fields: &[&str]) -> Option<u64> {
        let mut headers = HeaderMap::new();
        for field in fields {
            headers.append(CHANGES, HeaderValue::from_str(field).unwrap());
        }
        changes(&headers)
    }

    #[test]
    fn one_number_in_digits_counts() {
        assert_eq!(shown(&["0"]), Some(0));
        assert_eq!(shown(&["1763"]), Some(1763));
        assert_eq!(shown(&["18446744073709551615"]), Some(u64::MAX));
        for other in ["", "-1", "+1", "01", "1.0", "1, 2", "x", "18446744073709551616"] {
            assert_eq!(shown(&[other]), None, "{other}");
        }
        assert_eq!(shown(&[]), None);
        assert_eq!(shown(&["1", "1"]), None);
    }
}
