//! `calendar-edge check`: the configuration, then the live origin.

mod backend_checks;
mod check_command;
mod check_report;
mod collector;
mod editors;
mod groups;
mod home;
mod html;
mod languages;
mod outcome;
mod pages;
mod probe;
mod probe_response;
mod settings;
mod site;
mod trouble;
mod versions;

pub(super) use check_command::{in_force, run};
pub(super) use check_report::Report;
pub(super) use groups::added_parameters;
pub(super) use home::home_path;
pub(super) use html::tags;
pub(super) use languages::{
    API_RELATION, Advertised, HeaderLink, LanguageHome, RootFound, advertised, alternates, is_tag, links,
};
pub(super) use outcome::outcome;
pub(super) use probe::Probe;
pub(super) use probe_response::{ProbeResponse, code};
pub(super) use trouble::Trouble;
pub(super) use versions::{plugin, wordpress};
