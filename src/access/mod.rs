//! Who may call, and how often: pure, with the clock passed in.

mod budgets;
mod fields;
mod ledger;
mod pace;
mod visitor;
mod writers;

pub(crate) use budgets::{Budgets, Exceeded};
pub(crate) use fields::{Standings, whole_seconds};
pub(crate) use visitor::{Call, Visitor};
pub(crate) use writers::Writers;
