//! What proves to the companion plugin that the edge judged a request, and to the edge what the plugin says.

mod changes;
mod header;
mod key;
mod seal;
mod text;

pub use changes::{BEGUN, CHANGES, ShownChanges};
pub use header::{MARK, is_mark};
pub use key::{MarkKey, ShortSecret};
pub use seal::{SEAL, Seal, SealFault};
