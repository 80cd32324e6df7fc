//! The second listener, for operators: liveness, readiness, metrics, descriptions.

mod pages;
mod readiness;
mod service;

pub(crate) use pages::Pages;
pub(crate) use readiness::Readiness;
pub(crate) use service::Admin;
