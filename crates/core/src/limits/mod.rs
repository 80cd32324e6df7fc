//! How much clients may ask: request rates, and the permits of the site: who waits for them, and how edges divide them.

mod allotment;
#[cfg(test)]
mod dice;
#[cfg(test)]
mod edges_simulation;
mod fleet_size;
pub mod queue;
pub mod rates;

pub use allotment::{Allotment, Claim, parts};
pub use fleet_size::FleetSize;
