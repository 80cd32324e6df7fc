//! A site before the edge serves it, judged: the lines of `check` and `init`.
//!
//! A judge looks into [`Responses`] for the responses that it needs. One that is not there yet is wanted: the shell
//! sends all wanted requests at once, and runs the judge again, until nothing more is wanted. [`check_site()`] compares
//! a site with settings, one file a subject; [`find()`] reads a site of which only the front page is known.

mod addresses;
#[cfg(test)]
mod cases;
pub(crate) mod check_line;
mod checks;
mod dated_rows;
mod drift_lines;
mod editors;
mod found;
mod further_roots;
pub(crate) mod guarded_rules;
mod hindrance;
mod home;
mod languages;
mod named_address;
pub(crate) mod obstacle;
mod open_settings;
mod pages;
pub(crate) mod responses;
mod rest_root;
mod root_document;
mod site_table;
pub(crate) mod surveyed_site;
mod versions;
mod visit;
mod wall;

pub use check_line::{CheckLine, LineKind};
pub use checks::{check_offline, check_settings, check_site, store};
pub use found::{FoundSite, find};
pub use guarded_rules::{circumvented, forwards_unjudged, unguarded};
pub use named_address::unreachable_names;
pub use obstacle::{Obstacle, ObstacleKind};
pub use open_settings::{OpenSetting, open_settings};
pub use responses::{Responses, SiteResponse, WantedRequest, Way};
pub use visit::SiteRequest;
