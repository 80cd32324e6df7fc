//! Dates as clients write them: everything is a wall time.
//!
//! The plugin drops zone suffixes, and it takes a number for the UTC clock at that instant, whatever zone the
//! record has.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use calendar_edge_judge::wordpress::value::{datetime, numeric};

/// Reads a date; `now` is the wall time that relative forms start from.
pub(super) fn read(text: &str, now: DateTime) -> Option<DateTime> {
    let bytes = text.as_bytes();
    if !numeric::is_numeric(bytes) {
        return datetime::wall(bytes, now);
    }
    let seconds = numeric::int_prefix(bytes);
    let seconds = seconds.clamp(Timestamp::MIN.as_second(), Timestamp::MAX.as_second());
    Some(TimeZone::UTC.to_datetime(Timestamp::from_second(seconds).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_numbers_for_the_utc_clock() {
        let now = jiff::civil::date(2026, 11, 20).at(9, 49, 43, 0);
        let cases = [
            ("1822500000", "2027-10-02T18:00:00"),
            ("20271002", "1970-08-23T14:50:02"),
            ("-1", "1969-12-31T23:59:59"),
            ("1e400", "1970-01-01T00:00:00"),
            ("-1e30", "-009999-01-02T01:59:59"),
            ("noon", "2026-11-20T12:00:00"),
        ];
        for (text, expected) in cases {
            let read = read(text, now).map(|wall| wall.to_string());
            assert_eq!(read.as_deref(), Some(expected), "{text}");
        }
        assert_eq!(read("nonsense", now), None);
    }
}
