//! The second listener, for operators: liveness, readiness, metrics, descriptions.

mod access;
mod endpoints;
mod explained;
mod explanation;
mod figures;
mod page;
mod pages;
mod parts;
mod readiness;
mod ready;
mod service;
mod status;
mod status_document;

pub(crate) use pages::Pages;
pub(crate) use parts::AdminParts;
pub(crate) use readiness::Readiness;
pub(crate) use service::Admin;
pub(crate) use status::{EdgeFacts, Readings};
