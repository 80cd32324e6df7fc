//! Dates as clients write them, time zones, and the clock.

use calendar_edge_judge::wordpress::value::timezone::{ZoneReading, offset};
use calendar_edge_judge::wordpress::value::{datetime, numeric};
use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Timestamp};

/// Reads a date as a wall time; `now` is the wall time that relative forms start from. A number is a time in UTC.
pub(crate) fn read(text: &str, now: DateTime) -> Option<DateTime> {
    let bytes = text.as_bytes();
    if !numeric::is_numeric(bytes) {
        return datetime::wall(bytes, now);
    }
    let seconds = numeric::int_prefix(bytes);
    let seconds = seconds.clamp(Timestamp::MIN.as_second(), Timestamp::MAX.as_second());
    Some(TimeZone::UTC.to_datetime(Timestamp::from_second(seconds).ok()?))
}

/// `2027-04-02 19:00:00`
pub(crate) fn stamp(clock: DateTime) -> String {
    clock.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// The wall time of a stamp; midnight of the first day where it is none.
pub(crate) fn of_stamp(stamp: &str) -> DateTime {
    stamp.parse().unwrap_or(DateTime::ZERO)
}

/// The zone of a name: one of the database, an abbreviation, `UTC+2`, `+02:00`. One that only some builds of PHP have
/// counts as UTC.
pub(crate) fn zone(name: &str) -> Option<TimeZone> {
    let name = name.trim();
    let beside = name.strip_prefix("UTC").filter(|rest| !rest.is_empty());
    match offset::read(beside.unwrap_or(name).as_bytes()).0 {
        ZoneReading::Named(rules) => Some(rules),
        ZoneReading::Offset(seconds) => {
            let offset = i32::try_from(seconds)
                .ok()
                .and_then(|seconds| Offset::from_seconds(seconds).ok());
            Some(offset.map_or(TimeZone::UTC, TimeZone::fixed))
        }
        ZoneReading::Unsure => Some(TimeZone::UTC),
        ZoneReading::Unknown => None,
    }
}

/// The UTC clock at a wall time of a zone.
pub(crate) fn to_utc(zone: &TimeZone, wall: DateTime) -> DateTime {
    let offset = zone.to_timestamp(wall).map(|instant| zone.to_offset(instant));
    let shift = offset.map_or(SignedDuration::ZERO, |offset| {
        SignedDuration::from_secs(i64::from(offset.seconds()))
    });
    wall.saturating_sub(shift)
}

/// The wall clock of a zone at a UTC time.
pub(crate) fn of_utc(zone: &TimeZone, utc: DateTime) -> DateTime {
    let instant = TimeZone::UTC.to_timestamp(utc);
    instant.map_or(utc, |instant| zone.to_datetime(instant))
}

/// The abbreviation in force at a wall time, `CEST`, or the name itself where the zone has one offset.
pub(crate) fn abbreviation(zone: &TimeZone, name: &str, wall: DateTime) -> String {
    match zone.to_timestamp(wall) {
        Ok(instant) if zone.to_fixed_offset().is_err() => {
            zone.to_offset_info(instant).abbreviation().to_owned()
        }
        _ => name.to_owned(),
    }
}
