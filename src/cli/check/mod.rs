//! `calendar-edge check`: the configuration, then the live origin.

mod backends;
mod command;
mod editors;
mod groups;
mod home;
mod html;
mod languages;
mod pages;
mod probe;
mod report;
mod site;
mod trouble;
mod versions;

pub(super) use command::run;
