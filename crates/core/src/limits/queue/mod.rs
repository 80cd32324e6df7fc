//! The queue before the site: the requests that wait, their order, and those that are refused (decision 0032).
//!
//! A [`WaitingLine`] stands before a few permits. It holds tickets, not requests: the shell wakes the request of a ticket. All
//! times are passed in, as the time since any fixed moment.

mod line;
mod overload;
#[cfg(test)]
mod random;
#[cfg(test)]
mod simulated;
#[cfg(test)]
mod simulation;

pub use line::{Rank, Shed, Ticket, WaitingLine};
