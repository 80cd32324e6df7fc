//! The content coding of a response for a client: none, or a compressed one.

mod accept_encoding;
mod coding;
mod eligible;
pub(crate) mod settings;

pub use accept_encoding::preferred;
pub use coding::Coding;
pub use eligible::{SHORTEST, eligible, forbids_change, weaken};
