//! The second listener, for operators: liveness, readiness, metrics, descriptions.

mod access;
mod explained;
mod page;
mod pages;
mod program_context;
mod readiness;
mod ready;
mod review;
mod service;
mod status;

pub(crate) use pages::Pages;
pub(crate) use program_context::ProgramContext;
pub(crate) use readiness::Readiness;
pub(crate) use service::{Admin, AdminParts};
pub(crate) use status::{EdgeFacts, Readings};
