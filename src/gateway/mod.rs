//! The innermost service: locates, reads, judges and forwards one request.

mod body;
mod calendar;
mod fault;
mod public_address;
pub(crate) mod seam;

pub(crate) use calendar::Gateway;
