//! The form of events for a client: JSON as WordPress sends it, or another that is written from it.

mod calendar;
mod form_headers;
mod members;
mod representation;
pub(crate) mod settings;

pub use calendar::{CalendarWriter, MOST_BYTES, MOST_EVENTS, PageFault};
pub use form_headers::calendar_headers;
pub use representation::{CALENDAR, names_media_type, reads_events, wants_calendar};
