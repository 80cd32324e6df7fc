//! The events that fall into the dates of a list's call.
//!
//! `start_date` and `end_date` enclose an event wholly; the relative filters compare one end. Without
//! `strict_dates` whole days count, and `starts_after` means after that day.

use jiff::civil::{DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};

use crate::call::Call;
use crate::dates::{of_stamp, of_utc, read, stamp};
use crate::record::{Members, text};

/// The bounds of a list, on the wall clock.
#[derive(Debug)]
pub(super) struct Window {
    pub(super) start_date: Option<DateTime>,
    pub(super) end_date: Option<DateTime>,
    starts: (Option<DateTime>, Option<DateTime>),
    ends: (Option<DateTime>, Option<DateTime>),
}

/// The default of `start_date`: the end of yesterday in UTC, on the site's clock.
pub(crate) fn default_start(now: Timestamp, zone: &TimeZone) -> DateTime {
    let today = TimeZone::UTC.to_datetime(now).date();
    let yesterday = today.yesterday().unwrap_or(today);
    of_utc(zone, yesterday.at(23, 59, 0, 0))
}

/// The default of `end_date`: two years from now.
pub(crate) fn default_end(now: Timestamp) -> DateTime {
    TimeZone::UTC
        .to_datetime(now)
        .saturating_add(Span::new().months(24))
}

// === impl Window ===

impl Window {
    /// The bounds of a call, and the default ones where no relative filter takes their place.
    pub(super) fn of(call: &Call) -> Self {
        let is_strict = call.flag("strict_dates") == Some(true);
        let relative = ["starts_before", "starts_after", "ends_before", "ends_after"];
        let is_free = relative.iter().any(|name| call.value(name).is_some());
        // Strict dates are read in UTC.
        let rounded = |wall: DateTime, is_last: bool| {
            if is_strict {
                of_utc(&call.zone, wall)
            } else {
                whole_day(wall, is_last)
            }
        };
        let bound = |name: &str, is_last: bool| {
            let asked = call.text(name)?;
            let wall = read(&asked, call.wall()).unwrap_or(call.wall());
            Some(rounded(wall, is_last))
        };
        // The dates of a list that names its events are void.
        let is_named = call.value("include").is_some();
        let or_default = |name: &str, default: DateTime, is_last| {
            if is_named {
                return Some(default);
            }
            let default = (!is_free).then(|| rounded(default, is_last));
            bound(name, is_last).or(default)
        };
        Self {
            start_date: or_default("start_date", default_start(call.now, &call.zone), false),
            end_date: or_default("end_date", default_end(call.now), true),
            starts: (bound("starts_after", true), bound("starts_before", true)),
            ends: (bound("ends_after", true), bound("ends_before", true)),
        }
    }

    /// True if an event lies inside.
    pub(super) fn holds(&self, event: &Members) -> bool {
        let start = of_stamp(text(event, "start_date"));
        let end = of_stamp(text(event, "end_date"));
        let between = |(after, before): (Option<DateTime>, Option<DateTime>), clock| {
            after.is_none_or(|after| clock > after) && before.is_none_or(|before| clock <= before)
        };
        self.start_date.is_none_or(|first| start >= first)
            && self.end_date.is_none_or(|last| end <= last)
            && between(self.starts, start)
            && between(self.ends, end)
    }

    /// The bounds as the list repeats them.
    pub(super) fn repeated(&self) -> Vec<(String, String)> {
        let bounds = [
            ("start_date", self.start_date),
            ("end_date", self.end_date),
            ("starts_after", self.starts.0),
            ("starts_before", self.starts.1),
            ("ends_after", self.ends.0),
            ("ends_before", self.ends.1),
        ];
        let bounds = bounds.into_iter();
        bounds
            .filter_map(|(name, bound)| Some((name.to_owned(), stamp(bound?))))
            .collect()
    }
}

fn whole_day(wall: DateTime, is_last: bool) -> DateTime {
    if is_last {
        wall.date().at(23, 59, 59, 0)
    } else {
        wall.date().to_datetime(Time::midnight())
    }
}
