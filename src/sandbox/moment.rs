//! Dates as clients write them.
//!
//! Two readings exist (CONTRACT section 9): a number is an instant, anything else a wall time whose zone
//! suffix is dropped.

use jiff::Timestamp;
use jiff::civil::DateTime;

use crate::value::{datetime, numeric};

/// What a date text means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// Seconds since 1970.
    Instant(Timestamp),
    /// A clock on a wall, in whatever zone the record has.
    Wall(DateTime),
}

/// Reads a date; `now` is the wall time that relative forms start from.
pub(super) fn read(text: &str, now: DateTime) -> Option<Moment> {
    let bytes = text.as_bytes();
    if !numeric::is_numeric(bytes) {
        return datetime::wall(bytes, now).map(Moment::Wall);
    }
    let seconds = numeric::int_prefix(bytes);
    let seconds = seconds.clamp(Timestamp::MIN.as_second(), Timestamp::MAX.as_second());
    Timestamp::from_second(seconds).ok().map(Moment::Instant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_numbers_for_instants_and_all_else_for_walls() {
        let now = jiff::civil::date(2026, 11, 20).at(9, 49, 43, 0);
        let instant = |seconds| Timestamp::from_second(seconds).ok().map(Moment::Instant);
        assert_eq!(read("1822500000", now), instant(1_822_500_000));
        assert_eq!(read("1e400", now), instant(0));
        assert_eq!(read("-1e30", now), instant(Timestamp::MIN.as_second()));
        assert_eq!(
            read("noon", now),
            Some(Moment::Wall(jiff::civil::date(2026, 11, 20).at(12, 0, 0, 0)))
        );
        assert_eq!(read("nonsense", now), None);
    }
}
