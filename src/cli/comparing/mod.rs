//! `calendar-edge migration compare`: two backends get the same call, and their responses are compared.

mod compare;
mod compare_args;
mod printed;
mod sides;
mod verify;

pub(super) use compare::run as compare;
pub(super) use compare_args::{AcceptArgs, CompareArgs};
pub(super) use printed::report as print_report;
pub(super) use verify::{VerifyArgs, run as verify};
