//! Request bodies in memory: each copied into one buffer as it comes, all of them within one budget.
//!
//! Bodies that stream through the edge stay in no buffer; a budget without a limit notes the pauses of their clients.
//!
//! See decision 0020.

mod budget;
mod budget_state;
mod collect;
mod hooked;
mod pause;
mod share;
mod small;
mod waiting_bodies;

pub(crate) use budget::BodyBudget;
pub use collect::{CollectError, read_within};
pub(crate) use collect::{Collector, counted};
pub(crate) use hooked::{BodyHook, HookedBody, PolledFrame};
pub(crate) use share::Share;
pub(crate) use small::read_small;
