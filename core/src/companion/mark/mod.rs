//! What proves to the companion plugin that the edge judged a request, and to the edge what the plugin says.

mod changes;
mod header;
mod seal;

pub use changes::{BEGUN, CHANGES, ShownChanges};
pub use header::{MARK, is_mark};
pub use seal::{SEAL, Seal, SealFault};
