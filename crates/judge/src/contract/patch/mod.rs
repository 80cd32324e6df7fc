//! PATCH as clients expect it: members that are not sent keep their values (decision 0038).
//!
//! WordPress's update resets many members that are not sent. Before such an update the edge reads the record, and adds
//! what the update would reset, in the spelling of the arguments.

mod carried;
mod merge;
mod record;

pub use carried::is_reset_by_updates;
pub use merge::merged_body;
pub use record::ReadRecord;
