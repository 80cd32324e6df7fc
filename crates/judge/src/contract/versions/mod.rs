//! The differences between versions of the plugin, as one table; no other code depends on a version.
//!
//! [`dated_differences`] has one row a change. [`SiteVersion`] is the known version of a site's plugin, and
//! [`PluginVersion`] names the one whose contract clients get.

mod dated_difference;
mod plugin_version;
mod rows;
mod site_version;

pub use dated_difference::{DatedDifference, FormerResponse, VersionChange};
pub use plugin_version::PluginVersion;
pub use rows::dated_differences;
pub use site_version::SiteVersion;
pub(super) use site_version::is_younger;
