//! The arguments of a call, and which of them this service claims.

use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, Zoned};
use url::form_urlencoded;

use crate::error::CallError;

/// The arguments of lists that are answered; a call with any other is not.
pub const OF_EVENTS: [&str; 5] = ["page", "per_page", "start_date", "end_date", "status"];

/// Those of venues and organizers, which are all that there are.
pub const OF_LINKED: [&str; 7] = [
    "page",
    "per_page",
    "search",
    "event",
    "has_events",
    "only_with_upcoming",
    "status",
];

/// Those of categories and tags.
pub const OF_TERMS: [&str; 3] = ["page", "per_page", "hide_empty"];

/// The largest page; more is cut down to it.
const LARGEST_PAGE: u64 = 50;

/// The largest number that the database takes; no record has it.
pub(crate) const LARGEST_NUMBER: u64 = i64::MAX.unsigned_abs();

/// The arguments of a query.
#[derive(Debug)]
pub(crate) struct Arguments(Vec<(String, String)>);

/// A page of a list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Page {
    /// Its number, from 1.
    pub(crate) number: u64,
    /// The records on a full page.
    pub(crate) size: u64,
}

// === impl Arguments ===

impl Arguments {
    /// Reads a query; any other argument than these is not claimed.
    pub(crate) fn read(query: Option<&str>, claimed: &[&str]) -> Result<Self, CallError> {
        let pairs = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
        let pairs: Vec<(String, String)> = pairs.into_owned().collect();
        match pairs.iter().find(|(name, _)| !claimed.contains(&name.as_str())) {
            Some((other, _)) => Err(CallError::NotClaimed(format!("calls with `{other}`"))),
            None => Ok(Self(pairs)),
        }
    }

    pub(crate) fn text(&self, wanted: &str) -> Option<&str> {
        let found = self.0.iter().find(|(name, _)| name == wanted);
        found.map(|(_, value)| value.as_str())
    }

    /// A number above zero.
    pub(crate) fn number(&self, name: &'static str) -> Result<Option<u64>, CallError> {
        let number = self.text(name).map(str::parse).transpose();
        match number {
            Ok(Some(0)) | Err(_) => Err(CallError::Invalid(name)),
            Ok(number) => Ok(number.map(|number: u64| number.min(LARGEST_NUMBER))),
        }
    }

    /// A truth value, which WordPress does not check.
    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        let text = self.text(name)?.to_ascii_lowercase();
        Some(matches!(text.as_str(), "true" | "1" | "yes" | "on"))
    }

    pub(crate) fn page(&self) -> Result<Page, CallError> {
        Ok(Page {
            number: self.number("page")?.unwrap_or(1),
            size: self.number("per_page")?.unwrap_or(10).min(LARGEST_PAGE),
        })
    }

    /// Of the statuses, only published records are claimed.
    pub(crate) fn only_published(&self) -> Result<(), CallError> {
        match self.text("status") {
            None | Some("publish") => Ok(()),
            Some(other) => Err(CallError::NotClaimed(format!("lists of the status `{other}`"))),
        }
    }

    /// The first and the last second of a list of events, on the site's clock.
    pub(crate) fn window(&self, zone: &TimeZone, now: Timestamp) -> Result<(String, String), CallError> {
        let utc = now.to_zoned(TimeZone::UTC);
        let first = match self.day("start_date")? {
            Some(day) => day,
            None => end_of_yesterday(&utc, zone),
        };
        let last = self.day("end_date")?;
        let last = last.unwrap_or_else(|| utc.date().saturating_add(Span::new().months(24)));
        let stamp = |day: Date, time| day.to_datetime(time).strftime("%Y-%m-%d %H:%M:%S").to_string();
        let last = stamp(last, Time::midnight()).replace("00:00:00", "23:59:59");
        Ok((stamp(first, Time::midnight()), last))
    }

    /// The day of `2026-12-01` or `2026-12-01 18:00:00`: lists count whole days. Other spellings are not claimed.
    fn day(&self, name: &str) -> Result<Option<Date>, CallError> {
        let Some(text) = self.text(name) else {
            return Ok(None);
        };
        let day = text.get(..10).and_then(|day| day.parse::<Date>().ok());
        let time = text.get(10..).unwrap_or_default();
        let is_time = time.is_empty()
            || (time.strip_prefix([' ', 'T'])).is_some_and(|time| time.parse::<Time>().is_ok());
        match day.filter(|_| is_time) {
            Some(day) => Ok(Some(day)),
            None => Err(CallError::NotClaimed(format!("`{name}={text}`"))),
        }
    }
}

/// The day of the site on which yesterday ends in UTC.
fn end_of_yesterday(utc: &Zoned, zone: &TimeZone) -> Date {
    let yesterday = utc.date().yesterday().unwrap_or(Date::MIN).at(23, 59, 0, 0);
    let instant = TimeZone::UTC.to_timestamp(yesterday).unwrap_or(Timestamp::MIN);
    instant.to_zoned(zone.clone()).date()
}
