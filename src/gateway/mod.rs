//! The innermost service: locates, reads, judges and forwards one request.

mod body;
mod calendar;
mod entrance;
mod fault;
mod forwarded;
mod means;
mod min_rate_body;
mod service;
mod site;

pub(crate) use service::Gateway;
