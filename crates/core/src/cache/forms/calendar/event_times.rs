//! Begin and end of an event, as the API gives them.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use serde_json::Value;

use super::content_lines::ContentLines;
use super::zones::{KnownZone, UsedZones};
use crate::cache::forms::members::{is_true, text};

/// Begin and end of an event.
#[derive(Debug)]
pub(super) enum EventTimes {
    /// Whole days; the end is the day after the last one.
    Days { first: Date, end: Option<Date> },
    /// Times in UTC.
    Utc { start: DateTime, end: Option<DateTime> },
    /// Times of a clock in a zone.
    Local {
        start: DateTime,
        end: Option<DateTime>,
        zone: KnownZone,
    },
}

// === impl EventTimes ===

impl EventTimes {
    /// The times of an event. `None` if it has no start that can be read.
    ///
    /// The times are those of the site in UTC where the zone is not known here, where its rules place the event at another
    /// moment than the site did, and around a change of the clock, where programs read a time in two ways.
    pub(super) fn of(event: &Value) -> Option<Self> {
        let local = ["start_date", "end_date"].map(|name| time(event, name));
        let utc = ["utc_start_date", "utc_end_date"].map(|name| time(event, name));
        if is_true(event, "all_day") {
            let first = local[0].or(utc[0])?.date();
            let end = local[1].and_then(|end| end.date().checked_add(1.day()).ok());
            let end = end.filter(|end| *end > first);
            return Some(Self::Days { first, end });
        }
        match KnownZone::named(text(event, "timezone")).zip(local[0]) {
            Some((zone, start)) if zone.is_utc() && utc[0].is_none() => Some(Self::utc(start, local[1])),
            Some((zone, start)) if !zone.is_utc() && agree(&zone.rules, local, utc) => Some(Self::Local {
                start,
                end: local[1].filter(|end| *end > start),
                zone,
            }),
            _ => Some(Self::utc(utc[0]?, utc[1])),
        }
    }

    fn utc(start: DateTime, end: Option<DateTime>) -> Self {
        let end = end.filter(|end| *end > start);
        Self::Utc { start, end }
    }

    /// Writes them, and notes the zone that they need.
    pub(super) fn write(&self, lines: &mut ContentLines, zones: &mut UsedZones) {
        match self {
            Self::Days { first, end } => {
                let both = [("DTSTART", Some(*first)), ("DTEND", *end)];
                for (name, day) in both.into_iter().filter_map(|(name, day)| Some((name, day?))) {
                    lines.plain(&format!("{name};VALUE=DATE"), &day.strftime("%Y%m%d").to_string());
                }
            }
            Self::Utc { start, end } => {
                for (name, time) in both(*start, *end) {
                    lines.plain(name, &in_utc(time));
                }
            }
            Self::Local { start, end, zone } => {
                for (name, time) in both(*start, *end) {
                    if let Some(moment) = moment(&zone.rules, time) {
                        zones.note(zone, moment);
                    }
                    let clock = time.strftime("%Y%m%dT%H%M%S").to_string();
                    lines.plain(&format!("{name};TZID={}", zone.name), &clock);
                }
            }
        }
    }
}

fn both(start: DateTime, end: Option<DateTime>) -> impl Iterator<Item = (&'static str, DateTime)> {
    let end = end.map(|end| ("DTEND", end));
    std::iter::once(("DTSTART", start)).chain(end)
}

/// True if the rules of a zone give the same times in UTC for these clock times as the site does, and no others.
fn agree(rules: &TimeZone, local: [Option<DateTime>; 2], utc: [Option<DateTime>; 2]) -> bool {
    local.into_iter().zip(utc).all(|(local, utc)| match (local, utc) {
        (Some(local), Some(utc)) => {
            let found = rules.to_ambiguous_timestamp(local);
            let found = found.unambiguous().ok();
            found.is_some() && found == moment(&TimeZone::UTC, utc)
        }
        (Some(local), None) => moment(rules, local).is_some(),
        (None, Some(_)) => false,
        (None, None) => true,
    })
}

/// The moment of a clock time. Of two, it is the first; of none, that by the offset before the change (RFC 5545
/// section 3.3.5).
fn moment(rules: &TimeZone, clock: DateTime) -> Option<Timestamp> {
    clock.to_zoned(rules.clone()).ok().map(|zoned| zoned.timestamp())
}

/// A member of a record that is a time: `2027-04-02 19:00:00`.
pub(super) fn time(record: &Value, name: &str) -> Option<DateTime> {
    text(record, name).parse().ok()
}

/// A time as calendars write it in UTC.
pub(super) fn in_utc(time: DateTime) -> String {
    time.strftime("%Y%m%dT%H%M%SZ").to_string()
}

/// Seconds since 1970 of a time that is read as UTC.
pub(super) fn unix_seconds(time: DateTime) -> Option<i64> {
    moment(&TimeZone::UTC, time).map(Timestamp::as_second)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn written(event: &Value) -> Option<String> {
        let (mut lines, mut zones) = (ContentLines::default(), UsedZones::default());
        EventTimes::of(event)?.write(&mut lines, &mut zones);
        Some(lines.text.trim_end().replace("\r\n", " "))
    }

    fn timed(zone: &str, local: [&str; 2], utc: [&str; 2]) -> Option<String> {
        written(&json!({
            "all_day": false, "timezone": zone, "start_date": local[0], "end_date": local[1],
            "utc_start_date": utc[0], "utc_end_date": utc[1],
        }))
    }

    #[test]
    fn times_are_those_of_the_events_zone() {
        let expected =
            "DTSTART;TZID=America/New_York:20270402T190000 DTEND;TZID=America/New_York:20270402T235959";
        let local = ["2027-04-02 19:00:00", "2027-04-02 23:59:59"];
        let utc = ["2027-04-02 23:00:00", "2027-04-03 03:59:59"];
        assert_eq!(timed("America/New_York", local, utc).as_deref(), Some(expected));
        // The site may leave UTC out where the zone is known.
        assert_eq!(
            timed("America/New_York", local, ["", ""]).as_deref(),
            Some(expected)
        );
    }

    #[test]
    fn what_the_zone_cannot_tell_is_in_utc() {
        let utc = ["2026-10-25 01:30:00", "2026-10-25 02:30:00"];
        let in_utc = Some("DTSTART:20261025T013000Z DTEND:20261025T023000Z");
        for (zone, local) in [
            // The second 2:30 of that night.
            ("Europe/Berlin", ["2026-10-25 02:30:00", "2026-10-25 03:30:00"]),
            ("Mars/Base", ["2026-10-25 09:30:00", "2026-10-25 10:30:00"]),
            ("", ["", ""]),
            ("UTC", ["2026-10-25 01:30:00", "2026-10-25 02:30:00"]),
        ] {
            assert_eq!(timed(zone, local, utc).as_deref(), in_utc, "{zone}");
        }
        let nowhere = timed(
            "Mars/Base",
            ["2026-10-25 09:30:00", "2026-10-25 10:30:00"],
            ["", ""],
        );
        assert_eq!(nowhere, None);
    }

    #[test]
    fn a_time_that_the_clock_shows_twice_or_never_is_in_utc_if_the_site_tells_it() {
        for (local, utc, expected) in [
            (
                "2026-10-25 02:30:00",
                "2026-10-25 00:30:00",
                "DTSTART:20261025T003000Z",
            ),
            (
                "2026-10-25 02:30:00",
                "2026-10-25 01:30:00",
                "DTSTART:20261025T013000Z",
            ),
            (
                "2026-03-29 02:30:00",
                "2026-03-29 01:30:00",
                "DTSTART:20260329T013000Z",
            ),
            (
                "2026-10-25 02:30:00",
                "",
                "DTSTART;TZID=Europe/Berlin:20261025T023000",
            ),
            (
                "2026-10-25 03:00:00",
                "2026-10-25 02:00:00",
                "DTSTART;TZID=Europe/Berlin:20261025T030000",
            ),
        ] {
            assert_eq!(
                timed("Europe/Berlin", [local, ""], [utc, ""]).as_deref(),
                Some(expected)
            );
        }
    }

    #[test]
    fn whole_days_end_on_the_day_after_the_last() {
        let days = |first: &str, last: &str| {
            written(
                &json!({"all_day": true, "start_date": first, "end_date": last, "timezone": "Asia/Tokyo"}),
            )
        };
        for (first, last, expected) in [
            (
                "2026-12-31 00:00:00",
                "2026-12-31 23:59:59",
                Some("DTSTART;VALUE=DATE:20261231 DTEND;VALUE=DATE:20270101"),
            ),
            (
                "2026-12-30 00:00:00",
                "2027-01-02 23:59:59",
                Some("DTSTART;VALUE=DATE:20261230 DTEND;VALUE=DATE:20270103"),
            ),
            ("2026-12-31 00:00:00", "", Some("DTSTART;VALUE=DATE:20261231")),
            (
                "2026-12-31 00:00:00",
                "2026-12-01 00:00:00",
                Some("DTSTART;VALUE=DATE:20261231"),
            ),
            ("", "", None),
            ("soon", "", None),
        ] {
            assert_eq!(days(first, last).as_deref(), expected, "{first} {last}");
        }
    }

    #[test]
    fn an_end_that_is_no_end_is_left_out() {
        let start = "2026-06-01 10:00:00";
        for end in ["", "2026-06-01 10:00:00", "2026-05-01 10:00:00", "later"] {
            let found = timed("UTC+3", [start, end], ["2026-06-01 07:00:00", ""]);
            assert_eq!(
                found.as_deref(),
                Some("DTSTART;TZID=UTC+0300:20260601T100000"),
                "{end}"
            );
        }
    }
}
