//! The headers in which the companion plugin shows how far the changes of the site are.

use std::time::Duration;

use http::{HeaderMap, HeaderName};

/// Shows the number of changes in the REST responses that the edge requests; it never reaches a client.
pub const CHANGES: HeaderName = HeaderName::from_static("x-calendar-edge-changes");

/// Shows beside [`CHANGES`] how many seconds ago the oldest change was begun that is not finished, if there is one.
/// It never reaches a client.
pub const BEGUN: HeaderName = HeaderName::from_static("x-calendar-edge-begun");

/// Names the site by its home page, in the response to the edge's own request.
pub const SITE: HeaderName = HeaderName::from_static("x-calendar-edge-site");

/// The state of the site's changes that a response shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShownChanges {
    /// The number of the last finished change.
    pub number: u64,
    /// The time since the oldest unfinished change was begun, in whole seconds; none if all are finished.
    pub begun: Option<Duration>,
}

// === impl ShownChanges ===

impl ShownChanges {
    /// Reads both headers; none without a companion plugin, or when one of them is not one number in decimal digits.
    pub fn of(headers: &HeaderMap) -> Option<Self> {
        let begun = if headers.contains_key(BEGUN) {
            Some(Duration::from_secs(one_number(headers, &BEGUN)?))
        } else {
            None
        };
        Some(Self {
            number: one_number(headers, &CHANGES)?,
            begun,
        })
    }
}

fn one_number(headers: &HeaderMap, name: &HeaderName) -> Option<u64> {
    let mut fields = headers.get_all(name).iter();
    let (Some(field), None) = (fields.next(), fields.next()) else {
        return None;
    };
    canonical_number(field.to_str().ok()?)
}

/// A number in its only spelling: decimal digits, without leading zeros.
pub(super) fn canonical_number(digits: &str) -> Option<u64> {
    let is_canonical =
        digits.bytes().all(|byte| byte.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    digits.parse().ok().filter(|_| is_canonical)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn shown(changes: &[&str], begun: &[&str]) -> Option<ShownChanges> {
        let mut headers = HeaderMap::new();
        for (name, fields) in [(CHANGES, changes), (BEGUN, begun)] {
            for field in fields {
                headers.append(&name, HeaderValue::from_str(field).unwrap());
            }
        }
        ShownChanges::of(&headers)
    }

    #[test]
    fn one_number_in_digits_counts() {
        for number in [0, 1763, u64::MAX] {
            let found = shown(&[&number.to_string()], &[]).unwrap();
            assert_eq!((found.number, found.begun), (number, None));
        }
        for other in ["", "-1", "+1", "01", "1.0", "1, 2", "x", "18446744073709551616"] {
            assert_eq!(shown(&[other], &[]), None, "{other}");
            assert_eq!(shown(&["1"], &[other]), None, "{other}");
        }
        assert_eq!(shown(&[], &[]), None);
        assert_eq!(shown(&["1", "1"], &[]), None);
    }

    #[test]
    fn an_unfinished_change_is_told_by_its_age() {
        let found = shown(&["7"], &["0"]).unwrap();
        assert_eq!((found.number, found.begun), (7, Some(Duration::ZERO)));
        assert_eq!(
            shown(&["7"], &["12"]).unwrap().begun,
            Some(Duration::from_secs(12))
        );
        assert_eq!(shown(&[], &["12"]), None);
        assert_eq!(shown(&["7"], &["1", "1"]), None);
    }
}
