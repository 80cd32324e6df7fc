//! `calendar-edge explain`: the edge's decision about one request, with its reasons.
//!
//! It uses the same judge as `serve`. The steps before and after the judge (limits of a request's head, credentials
//! that the origin refuses) are not shown.

mod backends;
mod cache;
mod command;
mod fate;
mod request;
mod story;
mod text;
mod words;

pub(super) use command::run;
pub(super) use request::{assumed_type, headers, method, public_host, target};
