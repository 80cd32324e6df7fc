//! `calendar-edge explain`: the edge's decision about one request, with its reasons.
//!
//! A request from the command line is decided about by the same decider as in `serve`, by what a running edge knows of
//! the site, or its file, or the site itself. About a request that a running edge refused, that edge is asked.

#![allow(
    clippy::indexing_slicing,
    reason = "indexes JSON objects: a member that is not there is null, and one that is set is added"
)]

mod answering_backends;
mod cacheability;
mod command;
mod explain_args;
mod fate;
mod known_site;
mod recorded_refusal;
mod story;
mod text;

pub(super) use command::run;
pub(super) use explain_args::ExplainArgs;
