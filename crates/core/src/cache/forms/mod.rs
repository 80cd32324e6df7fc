//! The form of events for a client: JSON as WordPress sends it, or another that is written from it.

mod answer_form;
mod calendar;
mod form_headers;
mod form_writer;
mod members;
pub(crate) mod settings;

pub use answer_form::{Representation, names_media_type};
pub use form_writer::{MOST_BYTES, MOST_EVENTS, PageFault, RepresentationWriter, WrittenRepresentation};
