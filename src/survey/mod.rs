//! What is found out about a site and about settings before they serve, as `check` and `init` say it.
//!
//! A [`Probe`](probe::Probe) asks one origin on the way that `serve` takes. [`find()`] asks a site of which only the front
//! page is known; the checks compare a site with settings, one file a subject: what it asks, what it finds, what it
//! advises. All of it is told in a [`Report`]. No code here knows a command line.

mod addresses;
mod backends;
mod checks;
mod collector;
mod dated_rows;
mod editors;
mod empty_pages;
mod feed;
mod fleet_store;
mod found;
mod further_roots;
mod groups;
pub(crate) mod guarded_rules;
mod header_links;
mod hindrance;
mod home;
mod languages;
pub(crate) mod named_address;
mod obstacle;
pub(crate) mod open_settings;
mod pages;
mod probe;
mod probe_response;
mod rest_root;
mod root_document;
mod second_routes;
mod site_table;
mod surface_list;
mod survey_report;
mod versions;
mod visit;
mod wall;

pub(crate) use checks::{check_offline, check_online, check_settings};
pub(crate) use found::{FoundSite, find};
pub(crate) use further_roots::{FurtherRoot, RootPlace};
#[cfg(test)]
pub(crate) use languages::SiteLanguages;
pub(crate) use obstacle::Obstacle;
pub(crate) use probe::Probe;

pub(crate) use survey_report::{Report, WorstFinding};
pub(crate) use visit::SiteRequest;
