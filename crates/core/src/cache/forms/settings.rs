//! Forms of events beside JSON.

use crate::settings::keys::form::SENTENCE;
use crate::settings::keys::group::settings_group;

settings_group! {
    /// Forms of events beside JSON, for clients that name them in `Accept`.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct FormSettings {
        /// Serve events as iCalendar, `text/calendar`: lists with all their pages, up to 500 events and 900 kB.
        /// Programs that send no headers read `events.ics` and `events/{id}.ics`.
        pub calendar: bool = false => flag();
        /// The name of the calendar in programs that subscribe to it.
        pub calendar_name: Option<String> = None => text(SENTENCE), "the host of the events";
    }
}
