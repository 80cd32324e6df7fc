//! The settings of a calendar.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use url::Url;

use crate::caller::Callers;

/// The addresses, the zone, the callers and the clock of a calendar.
#[derive(Debug, Clone)]
pub struct CalendarSettings {
    /// The REST root as it is printed: `http://127.0.0.1:9000/wp-json`.
    pub root: Url,
    /// The address of the site whose pages records name, without a slash at the end.
    pub pages: String,
    /// The time zone of the site.
    pub zone: TimeZone,
    /// The way in which callers are recognized.
    pub callers: Callers,
    /// True if a site gets a copy of each write.
    pub is_copied: bool,
    /// The present moment, where it stands still.
    pub now: Option<Timestamp>,
}
