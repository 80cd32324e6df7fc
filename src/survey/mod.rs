//! The findings about a site: its index, roots, languages, versions and pages, as `check` and `init` ask for them.
//!
//! A [`Probe`] asks one origin on the way that `serve` takes. [`find()`] asks a site of which only the front page is
//! known, and says in a [`Report`] what it finds. No code here knows a command line.

mod advertised;
mod found;
mod hindrance;
mod home;
mod html;
mod languages;
mod obstacle;
mod pages;
mod probe;
mod probe_response;
mod rest_root;
mod root_document;
mod site_table;
mod survey_report;
mod trouble;
mod versions;
mod visit;

pub(crate) use advertised::{RootFound, advertised};
pub(crate) use found::{FoundSite, find};
pub(crate) use hindrance::Hindrance;
pub(crate) use home::{Home, SAME_HOME, home, home_path};
#[cfg(test)]
pub(crate) use languages::SiteLanguages;
pub(crate) use languages::{LanguageRoot, RootPlace};
pub(crate) use obstacle::Obstacle;
pub(crate) use pages::past_the_edge;
pub(crate) use probe::{Probe, Wall};
pub(crate) use probe_response::ProbeResponse;
pub(crate) use site_table::{in_force, is_forwarded};
pub(crate) use survey_report::{Colour, Report, WorstFinding};
pub(crate) use trouble::Trouble;
pub(crate) use versions::{plugin, wordpress};
pub(crate) use visit::SiteQuestion;
