//! Time zones of events, and their rules as `VTIMEZONE` (RFC 5545 section 3.6.5).

use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};
use jiff::{Span, Timestamp, ToSpan};

use super::content_lines::ContentLines;

/// A zone with its rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KnownZone {
    /// Its name in the calendar: letters, digits, `/`, `_`, `+` and `-`.
    pub(super) name: String,
    pub(super) rules: TimeZone,
}

/// The zones of a calendar, in the order of their first event.
#[derive(Debug, Default)]
pub(super) struct UsedZones(Vec<UsedZone>);

/// A zone with the times that its rules must cover.
#[derive(Debug)]
struct UsedZone {
    zone: KnownZone,
    first: Timestamp,
    last: Timestamp,
}

/// The beginning of the name of a fixed offset, as WordPress writes it: `UTC+5.5`, `UTC-03:30`.
const FIXED: &str = "UTC";

/// The most changes of the clock that are written for one zone.
const MOST_CHANGES: usize = 400;

// === impl KnownZone ===

impl KnownZone {
    /// The zone with this name: of the IANA database, or an offset as WordPress names it.
    pub(super) fn named(name: &str) -> Option<Self> {
        if ["UTC", "Etc/UTC", "UTC+0", "UTC-0"].contains(&name) {
            let (name, rules) = (FIXED.to_owned(), TimeZone::UTC);
            return Some(Self { name, rules });
        }
        if let Some(offset) = name.strip_prefix(FIXED).and_then(offset) {
            let (name, rules) = (format!("{FIXED}{}", shown(offset)), TimeZone::fixed(offset));
            return Some(Self { name, rules });
        }
        let rules = TimeZone::get(name).ok()?;
        let name = rules.iana_name()?.to_owned();
        Some(Self { name, rules })
    }

    /// True for UTC, whose times need no rules.
    pub(super) fn is_utc(&self) -> bool {
        self.name == FIXED
    }
}

/// Reads a signed number of hours, with a fraction or with minutes.
fn offset(text: &str) -> Option<Offset> {
    let (sign, number) = match text.split_at_checked(1)? {
        ("+", number) => (1, number),
        ("-", number) => (-1, number),
        _ => return None,
    };
    if !number.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let (hours, minutes) = match number.split_once('.') {
        Some((hours, "0")) => (hours, "0"),
        Some((hours, "25")) => (hours, "15"),
        Some((hours, "5")) => (hours, "30"),
        Some((hours, "75")) => (hours, "45"),
        Some(_) => return None,
        None => number.split_once(':').unwrap_or((number, "0")),
    };
    let minutes = hours.parse::<i32>().ok()?.checked_mul(60)? + minutes.parse::<i32>().ok()?;
    (minutes <= 24 * 60).then_some(())?;
    Offset::from_seconds(sign * minutes * 60).ok()
}

/// An offset as calendars write it: hours and minutes, and seconds if there are any.
fn shown(offset: Offset) -> String {
    let seconds = offset.seconds();
    let sign = if seconds < 0 { '-' } else { '+' };
    let (minutes, rest) = (seconds.abs() / 60, seconds.abs() % 60);
    let whole = format!("{sign}{:02}{:02}", minutes / 60, minutes % 60);
    if rest == 0 {
        whole
    } else {
        format!("{whole}{rest:02}")
    }
}

// === impl UsedZones ===

impl UsedZones {
    /// Notes a time of an event in a zone.
    pub(super) fn note(&mut self, zone: &KnownZone, time: Timestamp) {
        match self.0.iter_mut().find(|used| used.zone.name == zone.name) {
            Some(used) => {
                used.first = used.first.min(time);
                used.last = used.last.max(time);
            }
            None => self.0.push(UsedZone {
                zone: zone.clone(),
                first: time,
                last: time,
            }),
        }
    }

    /// The name of the zone of the first event.
    pub(super) fn first(&self) -> Option<&str> {
        self.0.first().map(|used| used.zone.name.as_str())
    }

    /// Writes the rules of all zones.
    pub(super) fn write(&self, lines: &mut ContentLines) {
        for used in &self.0 {
            used.write(lines);
        }
    }
}

// === impl UsedZone ===

impl UsedZone {
    /// Each change of the clock from the last one before the first event to a year after the last event.
    fn write(&self, lines: &mut ContentLines) {
        let rules = &self.zone.rules;
        let end = self
            .last
            .checked_add(Span::new().hours(366 * 24))
            .unwrap_or(self.last);
        let before = rules.preceding(self.first).next();
        let begin = before
            .as_ref()
            .map_or(self.first, jiff::tz::TimeZoneTransition::timestamp);
        lines.plain("BEGIN", "VTIMEZONE");
        lines.plain("TZID", &self.zone.name);
        if before.is_some() {
            observance(lines, rules, begin);
        } else {
            always(lines, rules, self.first);
        }
        let later = rules
            .following(begin.max(self.first))
            .map(|change| change.timestamp());
        for change in later.take_while(|change| *change <= end).take(MOST_CHANGES) {
            observance(lines, rules, change);
        }
        lines.plain("END", "VTIMEZONE");
    }
}

/// The rule that holds from a change of the clock on.
fn observance(lines: &mut ContentLines, rules: &TimeZone, change: Timestamp) {
    let before = change.checked_sub(1.second()).unwrap_or(change);
    let from = rules.to_offset(before);
    write_observance(lines, rules, change, from, from.to_datetime(change));
}

/// The rule that holds where the clock never changed before.
fn always(lines: &mut ContentLines, rules: &TimeZone, time: Timestamp) {
    let begin = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);
    let begin = begin.min(rules.to_offset(time).to_datetime(time));
    write_observance(lines, rules, time, rules.to_offset(time), begin);
}

fn write_observance(
    lines: &mut ContentLines,
    rules: &TimeZone,
    at: Timestamp,
    from: Offset,
    begin: DateTime,
) {
    let holds = rules.to_offset_info(at);
    let kind = if holds.dst().is_dst() {
        "DAYLIGHT"
    } else {
        "STANDARD"
    };
    lines.plain("BEGIN", kind);
    lines.plain("DTSTART", &begin.strftime("%Y%m%dT%H%M%S").to_string());
    lines.plain("TZOFFSETFROM", &shown(from));
    lines.plain("TZOFFSETTO", &shown(holds.offset()));
    lines.text("TZNAME", holds.abbreviation());
    lines.plain("END", kind);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(name: &str, times: &[&str]) -> String {
        let zone = KnownZone::named(name).expect(name);
        let mut used = UsedZones::default();
        for time in times {
            used.note(&zone, time.parse().unwrap());
        }
        let mut lines = ContentLines::default();
        used.write(&mut lines);
        lines.text.replace("\r\n", " ")
    }

    #[test]
    fn rules_cover_every_event_and_a_year_more() {
        let berlin = rules("Europe/Berlin", &["2026-06-01T10:00:00Z", "2026-12-24T17:00:00Z"]);
        for part in [
            "BEGIN:VTIMEZONE TZID:Europe/Berlin BEGIN:DAYLIGHT DTSTART:20260329T020000 TZOFFSETFROM:+0100 \
             TZOFFSETTO:+0200 TZNAME:CEST END:DAYLIGHT",
            "BEGIN:STANDARD DTSTART:20261025T030000 TZOFFSETFROM:+0200 TZOFFSETTO:+0100 TZNAME:CET END:STANDARD",
            "DTSTART:20270328T020000",
            "DTSTART:20271031T030000",
        ] {
            assert!(berlin.contains(part), "{part} {berlin}");
        }
        assert!(!berlin.contains("DTSTART:2028"), "{berlin}");
    }

    #[test]
    fn zones_without_changes_have_one_rule() {
        assert_eq!(
            rules("UTC+5.5", &["2026-06-01T10:00:00Z"]),
            "BEGIN:VTIMEZONE TZID:UTC+0530 BEGIN:STANDARD DTSTART:19700101T000000 TZOFFSETFROM:+0530 \
             TZOFFSETTO:+0530 TZNAME:+05:30 END:STANDARD END:VTIMEZONE "
        );
        let tokyo = rules("Asia/Tokyo", &["2026-06-01T10:00:00Z"]);
        assert!(tokyo.contains("TZOFFSETTO:+0900 TZNAME:JST"), "{tokyo}");
        assert_eq!(tokyo.matches("BEGIN:").count(), 2, "{tokyo}");
    }

    #[test]
    fn zones_are_known_by_name_or_offset() {
        for (name, expected) in [
            ("europe/berlin", Some("Europe/Berlin")),
            ("UTC+3", Some("UTC+0300")),
            ("UTC-3:30", Some("UTC-0330")),
            ("UTC+12.75", Some("UTC+1245")),
            ("UTC+25", None),
            ("UTC+3.1", None),
            ("UTC+-3", None),
            ("UTC+", None),
            ("Mars/Base", None),
            ("", None),
            ("../UTC", None),
            ("Europe/Berlin\r\nX:1", None),
        ] {
            let known = KnownZone::named(name).map(|zone| zone.name);
            assert_eq!(known.as_deref(), expected, "{name}");
        }
        assert!(KnownZone::named("UTC").expect("UTC").is_utc());
    }
}
