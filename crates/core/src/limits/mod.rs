//! How much clients may ask: request rates, the permits of the site (who waits for them, how edges divide them), and the
//! breaker.

mod allotment;
mod breaker;
#[cfg(test)]
mod dice;
#[cfg(test)]
mod edges_simulation;
mod fleet_size;
mod question_spacing;
pub mod queue;
pub mod rates;
#[cfg(test)]
mod simulated_calls;
mod unlisted_proxy;

pub use allotment::{Allotment, Claim, parts};
pub use breaker::{Breaker, Health, Pass, Position};
pub use fleet_size::FleetSize;
pub use question_spacing::QuestionSpacing;
pub use unlisted_proxy::UnlistedProxy;
