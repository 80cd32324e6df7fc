//! Forms of events beside JSON.

/// The forms in which clients may read events.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FormSettings {
    /// True if events are given as iCalendar: to clients that ask for `text/calendar`, and as files, `events.ics`.
    pub calendar: bool,
    /// The name of the calendar in programs that subscribe to it; none: the host of its events.
    pub calendar_name: Option<String>,
}
