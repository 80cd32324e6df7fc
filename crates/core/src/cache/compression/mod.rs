//! Which form of a response a client gets: as it is, or compressed.

mod accept_encoding;
mod coding;
mod eligible;

pub use accept_encoding::preferred;
pub use coding::Coding;
pub use eligible::{Eligible, SHORTEST, eligible, forbids_change, weaken};
