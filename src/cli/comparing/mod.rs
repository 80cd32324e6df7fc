//! `calendar-edge compare` and `calendar-edge replay`: two backends get the same calls, and their answers are compared.

mod accounts;
mod call_judge;
mod compare;
mod compare_args;
mod printed;
mod recorded_call;
mod replay;
mod sides;
mod times_of_now;
mod verify;

pub(super) use call_judge::{CallJudge, Judged, SentRequest};
pub(super) use compare::run as compare;
pub(super) use compare_args::{AcceptArgs, CompareArgs, ReplayArgs};
pub(super) use printed::{SideNames, report as print_report};
pub(super) use replay::run as replay;
pub(super) use verify::{VerifyArgs, run as verify};
