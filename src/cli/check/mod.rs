//! `calendar-edge check`: the configuration, then the live origin.

mod backends;
mod command;
mod editors;
mod home;
mod probe;
mod trouble;

pub(super) use command::run;
