//! The rules about the rest of the site: which of them takes a request, and whether its caller passes.

pub(crate) mod checks;
mod companion_list;
mod consistency;
mod second_api;
pub(crate) mod settings;
mod surface_body;
mod surface_outcome;
mod surface_request;
mod surface_rules;
#[cfg(test)]
mod surface_rules_tests;
mod surface_verdict;

pub use companion_list::{COMPANION_LIST, companion_list};
pub use consistency::{check_settings, name_rules};
pub use surface_body::{BodyVerdict, SeenBody};
pub use surface_outcome::SurfaceOutcome;
pub use surface_request::SurfaceRequest;
pub use surface_rules::{SURFACE_RULE, SurfaceRules};
pub use surface_verdict::SurfaceVerdict;
