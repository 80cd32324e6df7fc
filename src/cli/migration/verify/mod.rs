//! `calendar-edge migration verify`: every record that the site lists, compared with another backend.

mod list_reader;
mod listed;
mod named_records;
mod pace;
mod progress;
mod record_walk;
mod sides;
mod verdict;
mod verify_args;

pub(super) use verdict::run;
pub(crate) use verify_args::VerifyArgs;
