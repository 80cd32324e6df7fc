//! What a site would answer an anonymous read, by facts about its records: surely the same bytes, or a reason to ask.

mod ask;
mod composed;
mod event_bounds;
mod event_list;
mod linked_list;
mod list_address;
mod list_page;
mod proof;
mod question;
mod question_shape;
mod record_copy;
mod search;
mod single;
mod term_list;
#[cfg(test)]
mod tests;
mod wanted_members;

pub use ask::Ask;
pub use proof::{ShapeBook, ShapeProof, Standing};
pub use question::CopyQuestion;
pub use question_shape::CopyShape;
pub use record_copy::{CopyResponse, RecordCopy};

/// The rules by which a copy answers: another text for other sources.
pub const RULES: &str = env!("COPY_RULES");
