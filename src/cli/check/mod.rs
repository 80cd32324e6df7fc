//! `calendar-edge check`: the configuration, then the live origin.

mod backend_checks;
mod check_command;
mod collector;
mod editors;
mod feed;
mod fleet_store;
mod groups;
mod outcome;
mod settings;
mod site;
mod surface_list;

pub(super) use check_command::run;
pub(super) use outcome::outcome;
