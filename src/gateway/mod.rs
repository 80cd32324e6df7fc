//! The innermost service: locates, reads, judges and forwards one request.

mod authority;
mod body;
mod calendar;
mod entrance;
mod fault;
mod means;
mod paced;
mod public_address;
mod service;
mod site;

pub(crate) use service::Gateway;
