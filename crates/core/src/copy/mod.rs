//! What a site would answer an anonymous read, by facts about its records: surely the same bytes, or a reason to ask.

mod address;
mod ask;
mod composed;
mod dates;
mod event_list;
mod linked_list;
mod page;
mod question;
mod record_copy;
mod same;
mod search;
mod shape;
mod single;
mod term_list;
#[cfg(test)]
mod tests;

pub use ask::Ask;
pub use question::CopyQuestion;
pub use record_copy::{CopyResponse, RecordCopy};
pub use same::{Folded, same};
pub use shape::Shape;
