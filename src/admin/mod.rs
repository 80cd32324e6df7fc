//! The second listener, for operators: liveness, readiness, metrics, descriptions.

mod readiness;
mod service;

pub(crate) use readiness::Readiness;
pub(crate) use service::{Admin, Pages};
