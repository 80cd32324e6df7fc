//! What proves to the companion plugin that the edge judged a request, to the edge what the plugin says, and to a
//! candidate who the caller is.

mod changes;
mod header;
mod identity;
mod seal;

pub use changes::{BEGUN, CHANGES, ShownChanges};
pub use header::{MARK, is_signed};
pub use identity::{IDENTITY, SiteUser};
pub use seal::{SEAL, Seal, SealFault};
