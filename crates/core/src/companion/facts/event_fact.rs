//! An event as pages show it: its times, its terms, and whether it is featured.

use jiff::civil::{DateTime, date};
use serde::{Deserialize, Serialize};

/// An event that a page of the calendar may show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventFact {
    /// Its number.
    pub id: u64,
    /// True if the pages of featured events show it.
    pub featured: bool,
    /// The numbers of its categories and tags.
    pub terms: Vec<u64>,
    /// The times at which a page may show it: in its own zone, and in that of the site.
    pub times: Vec<WallSpan>,
}

/// A time on the clock at a wall, from its first to its last second, in seconds since 1970-01-01 00:00:00 of that clock.
///
/// A span with an end that cannot be read is [`Self::ALWAYS`]: it touches every page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(WallTime, WallTime)", into = "(i64, i64)")]
pub struct WallSpan {
    /// The first second.
    pub start: i64,
    /// The last second; never before the first.
    pub end: i64,
}

/// A time as the plugin writes it, or as it is kept.
#[derive(Deserialize)]
#[serde(untagged)]
enum WallTime {
    Seconds(i64),
    Text(String),
}

// === impl WallSpan ===

impl WallSpan {
    /// Touches every time.
    pub const ALWAYS: Self = Self {
        start: i64::MIN,
        end: i64::MAX,
    };

    /// True if the two have a second in common.
    pub const fn overlaps(self, other: Self) -> bool {
        self.start <= other.end && other.start <= self.end
    }
}

impl From<(WallTime, WallTime)> for WallSpan {
    fn from((start, end): (WallTime, WallTime)) -> Self {
        match (start.seconds(), end.seconds()) {
            // An end before the start is a fault of the site: no page may lose the event by it.
            (Some(start), Some(end)) => Self {
                start: start.min(end),
                end: end.max(start),
            },
            _ => Self::ALWAYS,
        }
    }
}

impl From<WallSpan> for (i64, i64) {
    fn from(span: WallSpan) -> Self {
        (span.start, span.end)
    }
}

// === impl WallTime ===

impl WallTime {
    fn seconds(self) -> Option<i64> {
        match self {
            Self::Seconds(seconds) => Some(seconds),
            Self::Text(text) => {
                let time: DateTime = text.parse().ok()?;
                Some(time.duration_since(date(1970, 1, 1).at(0, 0, 0, 0)).as_secs())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: &str, end: &str) -> WallSpan {
        serde_json::from_value(serde_json::json!([start, end])).unwrap()
    }

    #[test]
    fn times_are_seconds_of_the_wall() {
        let read = span("1970-01-02 00:00:00", "2027-08-01 12:00:01");
        assert_eq!((read.start, read.end), (86_400, 1_817_121_601));
        let first = span("0000-01-01 00:00:00", "9999-12-31 23:59:59");
        assert_eq!((first.start, first.end), (-62_167_219_200, 253_402_300_799));
    }

    #[test]
    fn a_span_that_cannot_be_read_touches_every_page() {
        for (start, end) in [
            ("", "2027-08-01 12:00:00"),
            ("2027-08-01 12:00:00", "0000-00-00 00:00:00"),
            ("2027-02-31 12:00:00", "2027-03-01 12:00:00"),
            ("12027-02-01 12:00:00", "tomorrow"),
        ] {
            assert_eq!(span(start, end), WallSpan::ALWAYS, "{start} {end}");
        }
    }

    #[test]
    fn an_end_before_the_start_loses_neither() {
        let (early, late) = ("2027-08-01 10:00:00", "2027-08-02 10:00:00");
        assert_eq!(span(late, early), span(early, late));
    }

    #[test]
    fn what_is_kept_is_read_again() {
        for kept in [
            WallSpan::ALWAYS,
            span("2027-08-01 10:00:00", "2027-08-01 12:00:00"),
        ] {
            let text = serde_json::to_string(&kept).unwrap();
            assert_eq!(serde_json::from_str::<WallSpan>(&text).unwrap(), kept);
        }
    }
}
