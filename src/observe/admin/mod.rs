//! The second listener, for operators: liveness, readiness, metrics, descriptions.

mod access;
mod explained;
mod log_level;
mod page;
mod pages;
mod readiness;
mod ready;
mod review;
mod service;
mod status;
mod surroundings;

pub(crate) use pages::Pages;
pub(crate) use readiness::Readiness;
pub(crate) use service::{Admin, AdminParts};
pub(crate) use status::EdgeFacts;
pub(crate) use surroundings::Surroundings;
