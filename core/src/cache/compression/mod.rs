//! Which form of an answer a client gets: as it is, or compressed.

mod accept;
mod coding;
mod eligible;

pub use accept::preferred;
pub use coding::Coding;
pub use eligible::{Eligible, SHORTEST, eligible, forbids_change, weaken};
