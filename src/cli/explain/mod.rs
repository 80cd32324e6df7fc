//! `calendar-edge explain`: the edge's decision about one request, with its reasons.
//!
//! The running edge explains a request from the command line, and requests that it refused.

#![allow(
    clippy::indexing_slicing,
    reason = "indexes JSON objects: a member that is not there is null, and one that is set is added"
)]

mod command;
mod explain_args;
mod recorded_refusal;
mod text;

pub(super) use command::run;
pub(super) use explain_args::ExplainArgs;
