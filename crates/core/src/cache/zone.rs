//! The time zone of the site, and the moments at which its day ends.

use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Timestamp, ToSpan};
use serde::Deserialize;

use crate::unix_time::UnixTime;

/// The time zone of a site, from its root index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteZone(TimeZone);

/// The members of the root index that give the zone.
#[derive(Debug, Deserialize)]
struct ZoneMembers {
    #[serde(default)]
    timezone_string: String,
    /// Hours, with a fraction: 5.5 in India. WordPress prints a number or a text.
    #[serde(default)]
    gmt_offset: serde_json::Value,
}

const QUARTER: u64 = 15 * 60;
const DAY: u64 = 24 * 60 * 60;

// === impl SiteZone ===

impl SiteZone {
    /// The query for the root index that requests the zone alone; the whole index can have hundreds of kilobytes.
    pub const QUERY: &'static str = "_fields=timezone_string,gmt_offset";

    /// Reads the root index of a site. `None` if it names no zone that is known here, and no offset.
    pub fn of_index(json: &[u8]) -> Option<Self> {
        let index: ZoneMembers = serde_json::from_slice(json).ok()?;
        let named = Some(index.timezone_string.as_str()).filter(|name| !name.is_empty());
        match named {
            Some(name) => TimeZone::get(name).ok().map(Self),
            None => Self::of_offset(&index.gmt_offset),
        }
    }

    fn of_offset(hours: &serde_json::Value) -> Option<Self> {
        let hours = match hours {
            serde_json::Value::Number(number) => number.as_f64()?,
            serde_json::Value::String(text) => text.parse().ok()?,
            _ => return None,
        };
        let seconds = SignedDuration::try_from_secs_f64(hours * 3600.0).ok()?.as_secs();
        let offset = Offset::from_seconds(i32::try_from(seconds).ok()?).ok()?;
        Some(Self(TimeZone::fixed(offset)))
    }

    /// The first midnight of the site after `now`.
    fn midnight_after(&self, now: UnixTime) -> Option<UnixTime> {
        let now = Timestamp::new(i64::try_from(now.as_secs()).ok()?, 0).ok()?;
        let tomorrow = now.to_zoned(self.0.clone()).date().checked_add(1.day()).ok()?;
        let midnight = tomorrow.to_zoned(self.0.clone()).ok()?.timestamp();
        u64::try_from(midnight.as_second()).ok().map(UnixTime::from_secs)
    }
}

/// The moment after `now` at which "today" ends for the site.
///
/// PHP's own day ends at midnight UTC, which WordPress sets as PHP's zone, so that the earlier of both midnights counts.
/// While the zone is unknown, a day may end at any quarter of an hour: so far zones of the world lie apart.
pub fn day_end(zone: Option<&SiteZone>, now: UnixTime) -> UnixTime {
    match zone.and_then(|zone| zone.midnight_after(now)) {
        Some(midnight) => midnight.min(next_multiple(now, DAY)),
        None => next_multiple(now, QUARTER),
    }
}

fn next_multiple(now: UnixTime, step: u64) -> UnixTime {
    UnixTime::from_secs((now.as_secs() / step + 1) * step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> UnixTime {
        let moment: Timestamp = text.parse().unwrap();
        UnixTime::from_secs(u64::try_from(moment.as_second()).unwrap())
    }

    fn end(index: &str, now: &str) -> String {
        let zone = SiteZone::of_index(index.as_bytes());
        let end = day_end(zone.as_ref(), at(now)).as_secs();
        Timestamp::new(i64::try_from(end).unwrap(), 0)
            .unwrap()
            .to_string()
    }

    const BERLIN: &str = r#"{"gmt_offset":1,"timezone_string":"Europe\/Berlin","x":[]}"#;

    #[test]
    fn the_day_ends_at_midnight_of_the_site_or_of_php() {
        for (index, now, expected) in [
            (BERLIN, "2026-11-20T12:00:00Z", "2026-11-20T23:00:00Z"),
            (BERLIN, "2026-07-20T12:00:00Z", "2026-07-20T22:00:00Z"),
            (BERLIN, "2026-11-20T23:00:00Z", "2026-11-21T00:00:00Z"),
            (BERLIN, "2026-11-20T22:59:59Z", "2026-11-20T23:00:00Z"),
            // The night in which clocks go back.
            (BERLIN, "2026-10-24T23:30:00Z", "2026-10-25T00:00:00Z"),
            (
                r#"{"timezone_string":"America/New_York"}"#,
                "2026-11-20T02:00:00Z",
                "2026-11-20T05:00:00Z",
            ),
            (
                r#"{"timezone_string":"America/New_York"}"#,
                "2026-11-20T06:00:00Z",
                "2026-11-21T00:00:00Z",
            ),
            (
                r#"{"timezone_string":"","gmt_offset":"5.5"}"#,
                "2026-11-20T12:00:00Z",
                "2026-11-20T18:30:00Z",
            ),
            (
                r#"{"gmt_offset":-3}"#,
                "2026-11-20T01:00:00Z",
                "2026-11-20T03:00:00Z",
            ),
        ] {
            assert_eq!(end(index, now), expected, "{index} {now}");
        }
    }

    #[test]
    fn an_unknown_zone_may_end_its_day_at_any_quarter() {
        for index in [
            "",
            "{}",
            r#"{"timezone_string":"Mars/Base"}"#,
            r#"{"gmt_offset":1e9}"#,
        ] {
            assert_eq!(
                end(index, "2026-11-20T12:14:59Z"),
                "2026-11-20T12:15:00Z",
                "{index}"
            );
            assert_eq!(
                end(index, "2026-11-20T12:15:00Z"),
                "2026-11-20T12:30:00Z",
                "{index}"
            );
        }
    }
}
