//! `calendar-edge explain`: what the edge would do with one request, and why.
//!
//! It asks the same judge as `serve`. What happens before and after the judge (limits of a request's head,
//! credentials that the origin refuses) is not shown.

mod command;
mod fate;
mod request;
mod story;
mod text;

pub(super) use command::run;
