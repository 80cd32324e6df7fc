//! The version of the plugin whose contract clients get.

use std::fmt;

use calendar_edge_judge::contract::PluginVersion;

/// The contract that clients get.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WantedVersion {
    /// That of the version that the site has.
    #[default]
    AsTheSite,
    /// That of this version.
    Version(PluginVersion),
}

// === impl WantedVersion ===

impl WantedVersion {
    /// The text of a configuration for [`WantedVersion::AsTheSite`].
    pub const AS_THE_SITE: &'static str = "as the site";

    /// The version; none: the site's own.
    pub const fn version(self) -> Option<PluginVersion> {
        match self {
            Self::AsTheSite => None,
            Self::Version(version) => Some(version),
        }
    }
}

impl fmt::Display for WantedVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AsTheSite => f.write_str(Self::AS_THE_SITE),
            Self::Version(version) => version.fmt(f),
        }
    }
}
