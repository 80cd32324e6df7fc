//! Request bodies in memory: each copied into one buffer as it comes, all of them within one budget.
//!
//! See docs/decisions/0020-one-budget-for-request-bodies.md.

mod budget;
mod collect;
mod ledger;
mod line;
mod pause;
mod share;

pub(crate) use budget::BodyBudget;
pub(crate) use collect::{CollectError, Collector};
pub(crate) use share::Share;
