//! A request kept for its explanation: everything that decided about it, and none of its secrets.
//!
//! Secrets are replaced by stand-ins that are decided about in the same way: the account of Basic credentials stays,
//! the password does not; the name of a cookie stays, the session does not.

mod kept_request;
mod parameters;
mod recorded_body;
mod recorded_headers;

pub use kept_request::KeptRequest;
pub use recorded_body::{DecidingBody, RecordedPart};
