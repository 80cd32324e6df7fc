//! `calendar-edge check`: the configuration, then the live origin.

mod command;
mod probe;
mod trouble;

pub(super) use command::run;
