//! Texts that name the same instant in different forms.

use jiff::civil::DateTime;

/// A date and time as a text names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WrittenTime {
    /// Seconds since 1970 on the clock of the text.
    wall: i64,
    /// Seconds that this clock is ahead of UTC; none: not named.
    offset: Option<i64>,
}

const SECONDS_PER_MINUTE: i64 = 60;

/// The length of a time without an offset.
const LENGTH: usize = 19;

// === impl WrittenTime ===

impl WrittenTime {
    /// Reads `2026-01-01 00:00:00`, also with `T`, a fraction of zeros, and `Z` or an offset.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (time, rest) = text.split_at_checked(LENGTH)?;
        let rest = without_fraction(rest);
        let offset = offset(rest);
        (offset.is_some() || rest.is_empty()).then_some(())?;
        Some(Self {
            wall: wall(time)?,
            offset,
        })
    }

    /// Returns true if both name one instant. `own_utc` and `other_utc` are the same times in UTC, where the record
    /// has them; a time without an offset is only compared with one that has an offset by them.
    pub(super) fn is_same(self, other: Self, own_utc: Option<Self>, other_utc: Option<Self>) -> bool {
        if self.offset.is_some() == other.offset.is_some() {
            return self.wall - self.offset.unwrap_or(0) == other.wall - other.offset.unwrap_or(0);
        }
        let instant = |time: Self, utc: Option<Self>| match time.offset {
            Some(offset) => Some(time.wall - offset),
            None => utc.map(|utc| utc.wall - utc.offset.unwrap_or(0)),
        };
        let instants = (instant(self, own_utc), instant(other, other_utc));
        matches!(instants, (Some(one), Some(two)) if one == two)
    }
}

/// Seconds since 1970 of a date and a time, if both exist.
fn wall(time: &str) -> Option<i64> {
    // The crate reads further forms, and takes a second 60 for 59.
    let is_of_form = matches!(
        time.as_bytes(),
        [
            ..,
            b'-',
            _,
            _,
            b'-',
            _,
            _,
            b' ' | b'T',
            _,
            _,
            b':',
            _,
            _,
            b':',
            b'0'..=b'5',
            _
        ]
    );
    let time: DateTime = time.parse().ok().filter(|_| is_of_form)?;
    Some(
        time.duration_since(DateTime::constant(1970, 1, 1, 0, 0, 0, 0))
            .as_secs(),
    )
}

fn without_fraction(rest: &str) -> &str {
    match rest.strip_prefix('.') {
        Some(fraction) if fraction.starts_with('0') => fraction.trim_start_matches('0'),
        _ => rest,
    }
}

/// Seconds that the end of a text names ahead of UTC.
fn offset(rest: &str) -> Option<i64> {
    if rest == "Z" {
        return Some(0);
    }
    let sign = match rest.bytes().next()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let digits: String = rest.get(1..)?.chars().filter(|letter| *letter != ':').collect();
    let is_plain = digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number: i64 = digits.parse().ok().filter(|_| is_plain)?;
    let minutes = number / 100 * 60 + number % 100;
    Some(sign * minutes * SECONDS_PER_MINUTE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> WrittenTime {
        WrittenTime::read(text).expect(text)
    }

    #[test]
    fn forms_of_one_instant_are_equal() {
        for (one, other) in [
            ("2026-01-01 00:00:00", "2026-01-01T00:00:00"),
            ("2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00"),
            ("2026-01-01T00:00:00.000Z", "2025-12-31T23:00:00-0100"),
        ] {
            assert!(read(one).is_same(read(other), None, None), "{one} {other}");
        }
    }

    #[test]
    fn a_local_time_is_compared_through_its_utc_time() {
        let (local, with_offset) = (read("2026-01-01 01:00:00"), read("2026-01-01T01:00:00+01:00"));
        let utc = Some(read("2026-01-01 00:00:00"));
        assert!(local.is_same(with_offset, utc, None));
        assert!(!local.is_same(with_offset, None, None));
        assert!(!read("2026-01-01 00:00:00").is_same(read("2026-01-01 00:00:01"), utc, utc));
    }

    #[test]
    fn other_texts_are_no_times() {
        for text in [
            "2026-01-01",
            "2026-02-30 00:00:00",
            "2026-01-01 00:00",
            "2026-01-01 00:00:00 ",
            "2026-01-01 00:00:00.5",
            "+026-01-01 00:00:00",
            "ü026-01-01 00:00:00",
        ] {
            assert_eq!(WrittenTime::read(text), None, "{text}");
        }
    }
}
