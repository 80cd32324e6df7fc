//! The decision about one request with its reasons, as JSON: that of a running edge.

#![allow(
    clippy::indexing_slicing,
    reason = "indexes JSON objects: a member that is not there is null, and one that is set is added"
)]

mod basis;
mod cacheability;
mod fate;
mod responding_backends;
mod story;
#[cfg(test)]
mod story_tests;
mod typed_request;

pub use basis::Basis;
pub use story::{explain, finding};
pub use typed_request::TypedRequest;
