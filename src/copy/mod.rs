//! Reads that the edge answers by facts about all records of the site, as far as comparisons with it have proven that.

mod comparing;
mod copying;
mod drill;
mod probing;
mod record_copies;

pub(crate) use copying::Copying;
pub(crate) use record_copies::RecordCopies;
