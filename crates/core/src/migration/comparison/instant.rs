//! Texts that name the same instant in different forms.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// A date and time as a text names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WrittenTime {
    /// With an offset from UTC.
    Instant(Timestamp),
    /// On a clock whose offset is not named.
    Local(DateTime),
}

/// The length of a time without an offset.
const LENGTH: usize = 19;

// === impl WrittenTime ===

impl WrittenTime {
    /// Reads `2026-01-01 00:00:00`, also with `T`, a fraction of zeros, and `Z` or an offset.
    pub(super) fn read(text: &str) -> Option<Self> {
        // The crate reads further forms, and takes a second 60 for 59.
        let (time, rest) = text.split_at_checked(LENGTH)?;
        let form = time
            .replace('T', " ")
            .replace(|letter: char| letter.is_ascii_digit(), "0");
        if form != "0000-00-00 00:00:00" || time.ends_with("60") || rest.contains('[') {
            return None;
        }
        let instant = text.parse::<Timestamp>().map(Self::Instant).ok();
        // An instant beyond those of the crate is none of a clock without an offset.
        let local = || {
            text.parse()
                .map(Self::Local)
                .ok()
                .filter(|_| !rest.contains(['+', '-']))
        };
        let time = instant.or_else(local)?;
        let fraction = match time {
            Self::Instant(instant) => instant.subsec_nanosecond(),
            Self::Local(local) => local.subsec_nanosecond(),
        };
        (fraction == 0).then_some(time)
    }

    /// Returns true if both name one instant. `own_utc` and `other_utc` are the same times in UTC, where the record
    /// has them; a time without an offset is only compared with one that has an offset by them.
    pub(super) fn is_same(self, other: Self, own_utc: Option<Self>, other_utc: Option<Self>) -> bool {
        if let (Self::Local(one), Self::Local(two)) = (self, other) {
            return one == two;
        }
        let instants = self.instant(own_utc).zip(other.instant(other_utc));
        instants.is_some_and(|(one, two)| one == two)
    }

    /// The instant of a time, which is `utc` in UTC.
    fn instant(self, utc: Option<Self>) -> Option<Timestamp> {
        match (self, utc) {
            (Self::Instant(instant), _) | (Self::Local(_), Some(Self::Instant(instant))) => Some(instant),
            (Self::Local(_), Some(Self::Local(utc))) => TimeZone::UTC.to_timestamp(utc).ok(),
            (Self::Local(_), None) => None,
        }
    }
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
            "9999-12-31 23:59:59-12:00",
            "+026-01-01 00:00:00",
            "ü026-01-01 00:00:00",
        ] {
            assert_eq!(WrittenTime::read(text), None, "{text}");
        }
    }
}
