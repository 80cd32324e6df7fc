//! What may be kept of the site's answers, under which key, for how long, and what removes it.

mod removal;
mod tag;

pub use removal::{Removal, RemovalCause};
pub use tag::{Tag, UnknownTag};
