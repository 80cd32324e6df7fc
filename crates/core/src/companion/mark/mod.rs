//! What proves to the companion plugin that the edge judged a request, to the edge what the plugin says, and to a
//! candidate who the caller is.

mod changes;
mod header;
mod seal;
mod site_user;

pub use changes::{BEGUN, CHANGES, SITE, ShownChanges};
pub use header::MARK;
pub use seal::{SEAL, Seal, SealFault};
pub use site_user::{IDENTITY, SiteUser};
