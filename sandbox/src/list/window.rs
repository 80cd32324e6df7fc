//! Which events fall into the dates a list asks for.
//!
//! `start_date` and `end_date` enclose an event wholly; the relative filters compare one end. Without
//! `strict_dates` whole days count, and `starts_after` means after that day.

use jiff::Span;
use jiff::Timestamp;
use jiff::civil::{DateTime, Time};

use crate::moment;
use crate::render::stamp;
use crate::site_call::Call;
use crate::store::Event;
use crate::zone::Zone;
use calendar_edge_judge::wordpress::value::numeric;

/// The bounds of a list, on the site's wall clock.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    start_date: Option<DateTime>,
    end_date: Option<DateTime>,
    starts_before: Option<DateTime>,
    starts_after: Option<DateTime>,
    ends_before: Option<DateTime>,
    ends_after: Option<DateTime>,
}

/// Which end of a day a bound means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DayEnd {
    First,
    Last,
}

/// The default of `start_date`: the end of yesterday in UTC, on the site's clock.
pub(crate) fn default_start(now: Timestamp) -> DateTime {
    let site = Zone::site();
    let today = site.to_utc(site.wall(now)).date();
    let yesterday = today.yesterday().unwrap_or(today);
    site.wall_of_utc(yesterday.at(23, 59, 0, 0))
}

/// The default of `end_date`: two years from now, on the UTC clock.
pub(crate) fn default_end(now: Timestamp) -> DateTime {
    let site = Zone::site();
    site.to_utc(site.wall(now)).saturating_add(Span::new().months(24))
}

// === impl Window ===

impl Window {
    /// The bounds that a call sets, and the default ones where no relative filter takes their place.
    pub(super) fn of(call: &Call) -> Self {
        let relative = ["starts_before", "starts_after", "ends_before", "ends_after"];
        let free = relative.iter().any(|name| call.value(name).is_some());
        let strict = call
            .text("strict_dates")
            .is_some_and(|text| matches!(text.to_ascii_lowercase().as_str(), "true" | "1" | "yes" | "on"));
        let bound = |name: &str, end| {
            let wall = read(call, &call.text(name)?);
            Some(if strict {
                // The plugin takes it for UTC and shows it on the site's clock.
                Zone::site().wall_of_utc(wall)
            } else {
                whole_day(wall, end)
            })
        };
        // Events picked by number fall back to the default dates, to the second; they are not free of them.
        let picked = call.value("include").is_some();
        let or_default = |name: &str, default: DateTime, end| {
            if picked {
                return Some(default);
            }
            let fallback = || (!free).then(|| whole_day(default, end));
            bound(name, end).or_else(fallback)
        };
        Self {
            start_date: or_default("start_date", default_start(call.now), DayEnd::First),
            end_date: or_default("end_date", default_end(call.now), DayEnd::Last),
            starts_before: bound("starts_before", DayEnd::Last),
            starts_after: bound("starts_after", DayEnd::Last),
            ends_before: bound("ends_before", DayEnd::Last),
            ends_after: bound("ends_after", DayEnd::Last),
        }
    }

    /// Whether an event lies inside.
    pub(super) fn holds(&self, event: &Event) -> bool {
        let (start, end) = (event.start, event.end);
        self.start_date.is_none_or(|bound| start >= bound)
            && self.end_date.is_none_or(|bound| end <= bound)
            && self.starts_before.is_none_or(|bound| start <= bound)
            && self.starts_after.is_none_or(|bound| start > bound)
            && self.ends_before.is_none_or(|bound| end <= bound)
            && self.ends_after.is_none_or(|bound| end > bound)
    }

    /// The bounds of `start_date` and `end_date` as the list repeats them.
    pub(super) fn enclosing(&self) -> [(&'static str, Option<String>); 2] {
        [
            ("start_date", self.start_date.map(stamp)),
            ("end_date", self.end_date.map(stamp)),
        ]
    }

    /// The relative bounds as the list repeats them.
    pub(super) fn relative(&self) -> [(&'static str, Option<String>); 4] {
        [
            ("starts_before", self.starts_before.map(stamp)),
            ("starts_after", self.starts_after.map(stamp)),
            ("ends_before", self.ends_before.map(stamp)),
            ("ends_after", self.ends_after.map(stamp)),
        ]
    }
}

/// A date that passed the checks; `0` means now.
fn read(call: &Call, text: &str) -> DateTime {
    let now = call.wall();
    if numeric::numeric(text.as_bytes()).is_some_and(|number| number.as_float() == 0.0) {
        return now;
    }
    moment::read(text, now).unwrap_or(now)
}

fn whole_day(wall: DateTime, end: DayEnd) -> DateTime {
    match end {
        DayEnd::First => wall.date().to_datetime(Time::midnight()),
        DayEnd::Last => wall.date().at(23, 59, 59, 0),
    }
}
