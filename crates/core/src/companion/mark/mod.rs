//! The proofs between edge and backends: to the companion plugin that the edge judged a request, to the edge that the
//! plugin sent a message, and to a candidate the identity of the caller.

mod changes;
mod header;
mod seal;
mod site_user;

pub use changes::{BEGUN, CHANGES, SITE, ShownChanges};
pub use header::MARK;
pub use seal::{SEAL, Seal, SealFault};
pub use site_user::{IDENTITY, SiteUser};
