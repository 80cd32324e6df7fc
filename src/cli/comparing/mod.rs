//! `calendar-edge compare` and `calendar-edge replay`: two backends get the same calls, and their answers are compared.

mod args;
mod compare;
mod judge;
mod printed;
mod record;
mod replay;
mod sides;
mod skipped;

pub(super) use args::{AcceptArgs, CompareArgs, ReplayArgs};
pub(super) use compare::run as compare;
pub(super) use printed::{SideNames, report as print_report};
pub(super) use replay::run as replay;
