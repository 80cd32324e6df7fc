//! Time zones as the plugin names them, and the two clocks of a record: wall time and UTC.

use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Timestamp};

use calendar_edge_judge::wordpress::value::timezone::offset::{self, ZoneReading};

/// The time zone of the sandbox's site.
pub(super) const SITE: &str = "Europe/Berlin";

/// A zone under the name a client gave it.
#[derive(Debug, Clone)]
pub(super) struct Zone {
    name: String,
    rules: TimeZone,
}

// === impl Zone ===

impl Zone {
    /// The site's zone.
    pub(super) fn site() -> Self {
        Self {
            name: SITE.to_owned(),
            rules: TimeZone::get(SITE).unwrap_or(TimeZone::UTC),
        }
    }

    /// The zone of a name that PHP takes: a zone of the database, an abbreviation, `UTC+2`, `+02:00`, `Z`. One
    /// that only some builds of PHP know counts as UTC.
    pub(super) fn named(name: &str) -> Option<Self> {
        let trimmed = name.trim();
        let rules = match trimmed.strip_prefix("UTC") {
            Some(rest) => beside_utc(rest),
            None => match offset::read(trimmed.as_bytes()).0 {
                ZoneReading::Named(rules) => rules,
                ZoneReading::Offset(seconds) => fixed(seconds),
                ZoneReading::Unsure => TimeZone::UTC,
                ZoneReading::Unknown => return None,
            },
        };
        Some(Self {
            name: trimmed.to_owned(),
            rules,
        })
    }

    /// The name as it is shown.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The wall time of an instant; the edges of the calendar where there is none.
    pub(super) fn wall(&self, instant: Timestamp) -> DateTime {
        self.rules.to_datetime(instant)
    }

    /// The UTC clock at a wall time.
    pub(super) fn to_utc(&self, wall: DateTime) -> DateTime {
        wall.saturating_sub(self.shift(wall))
    }

    /// The wall clock at a UTC time.
    pub(super) fn wall_of_utc(&self, utc: DateTime) -> DateTime {
        match TimeZone::UTC.to_timestamp(utc) {
            Ok(instant) => self.wall(instant),
            Err(_) => utc,
        }
    }

    /// The abbreviation in force at a wall time: `CEST`, or the name itself where the zone has one offset.
    pub(super) fn abbreviation(&self, wall: DateTime) -> String {
        match self.instant(wall) {
            Some(instant) if self.rules.to_fixed_offset().is_err() => {
                self.rules.to_offset_info(instant).abbreviation().to_owned()
            }
            _ => self.name.clone(),
        }
    }

    /// A wall time with its offset, as schema.org wants it.
    pub(super) fn rfc3339(&self, wall: DateTime) -> String {
        let minutes = self.shift(wall).as_mins();
        let sign = if minutes < 0 { '-' } else { '+' };
        let minutes = minutes.unsigned_abs();
        format!(
            "{}{sign}{:02}:{:02}",
            wall.strftime("%Y-%m-%dT%H:%M:%S"),
            minutes / 60,
            minutes % 60
        )
    }

    fn shift(&self, wall: DateTime) -> SignedDuration {
        let offset = self.instant(wall).map(|instant| self.rules.to_offset(instant));
        offset.map_or(SignedDuration::ZERO, |offset| {
            SignedDuration::from_secs(i64::from(offset.seconds()))
        })
    }

    fn instant(&self, wall: DateTime) -> Option<Timestamp> {
        self.rules.to_timestamp(wall).ok()
    }
}

/// The offset behind `UTC`: `+5:30`, `-3.5`; an invalid one counts as none.
fn beside_utc(rest: &str) -> TimeZone {
    let (direction, digits) = match rest.split_at_checked(1) {
        Some(("+", digits)) => (1, digits),
        Some(("-", digits)) => (-1, digits),
        _ => return TimeZone::UTC,
    };
    let (hours, minutes) = match (digits.split_once('.'), digits.split_once(':')) {
        (Some((hours, fraction)), _) => (hours, if fraction.starts_with('5') { 30 } else { 0 }),
        (None, Some((hours, minutes))) => (hours, minutes.parse().unwrap_or(0)),
        (None, None) => (digits, 0),
    };
    match hours.parse::<i64>() {
        Ok(hours @ 0..=14) if (0..60).contains(&minutes) => fixed(direction * (hours * 3600 + minutes * 60)),
        _ => TimeZone::UTC,
    }
}

fn fixed(seconds: i64) -> TimeZone {
    let offset = i32::try_from(seconds)
        .ok()
        .and_then(|seconds| Offset::from_seconds(seconds).ok());
    offset.map_or(TimeZone::UTC, TimeZone::fixed)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn converts_as_recorded() {
        let wall = date(2027, 10, 1).at(10, 0, 0, 0);
        let cases = [
            ("Europe/Berlin", "2027-10-01T08:00:00", "CEST"),
            ("america/new_york", "2027-10-01T14:00:00", "EDT"),
            ("UTC+2", "2027-10-01T08:00:00", "UTC+2"),
            ("UTC-3.5", "2027-10-01T13:30:00", "UTC-3.5"),
            ("UTC+5:30", "2027-10-01T04:30:00", "UTC+5:30"),
            ("UTC+99", "2027-10-01T10:00:00", "UTC+99"),
            ("EST", "2027-10-01T15:00:00", "EST"),
            ("GMT", "2027-10-01T10:00:00", "GMT"),
            ("UTC", "2027-10-01T10:00:00", "UTC"),
            ("+02:00", "2027-10-01T08:00:00", "+02:00"),
            ("Z", "2027-10-01T10:00:00", "Z"),
        ];
        for (name, utc, abbreviation) in cases {
            let zone = Zone::named(name).expect(name);
            assert_eq!(zone.to_utc(wall).to_string(), utc, "{name}");
            assert_eq!(zone.abbreviation(wall), abbreviation, "{name}");
        }
        assert!(Zone::named("Nowhere/Else").is_none());
    }

    #[test]
    fn survives_the_edges_of_the_calendar() {
        for zone in [Zone::site(), Zone::named("UTC+14").expect("an offset")] {
            for wall in [DateTime::MIN, DateTime::MAX] {
                let _ = (
                    zone.to_utc(wall),
                    zone.wall_of_utc(wall),
                    zone.rfc3339(wall),
                    zone.abbreviation(wall),
                );
            }
        }
    }
}
