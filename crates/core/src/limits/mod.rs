//! Limits of requests: the rates of clients, the permits of the site (the queue for them, their division among edges),
//! and the breaker.

mod allotment;
mod backoff;
mod breaker;
mod check_spacing;
#[cfg(test)]
mod dice;
#[cfg(test)]
mod edges_simulation;
mod fleet_size;
pub mod queue;
pub mod rates;
pub(crate) mod settings;
#[cfg(test)]
mod simulated_calls;
mod unlisted_proxy;

pub use allotment::{Allotment, Claim, parts};
pub use backoff::{Backoff, spread};
pub use breaker::{Breaker, Health, Pass, Position};
pub use check_spacing::CheckSpacing;
pub use fleet_size::FleetSize;
pub use unlisted_proxy::UnlistedProxy;
