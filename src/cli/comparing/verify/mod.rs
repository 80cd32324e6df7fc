//! `calendar-edge migration verify`: every record that the site lists, compared with another backend.

mod listed;
mod manifest;
mod record_walk;
mod verdict;
mod verify_args;

pub(in crate::cli) use verdict::run;
pub(in crate::cli) use verify_args::VerifyArgs;
