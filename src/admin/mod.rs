//! The second listener, for operators: liveness, readiness, metrics, descriptions.

mod access;
mod explained;
mod page;
mod pages;
mod readiness;
mod review;
mod service;
mod status;

pub(crate) use pages::Pages;
pub(crate) use readiness::Readiness;
pub(crate) use service::{Admin, AdminParts};
pub(crate) use status::EdgeFacts;
