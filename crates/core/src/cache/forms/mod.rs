//! The form of events for a client: JSON as WordPress sends it, or another that is written from it.

mod calendar;
mod form_headers;
mod form_writer;
mod members;
mod representation;
pub(crate) mod settings;

pub use form_headers::calendar_headers;
pub use form_writer::{MOST_BYTES, MOST_EVENTS, PageFault, RepresentationWriter};
pub use representation::{CALENDAR, names_media_type, reads_events, wants_calendar};
