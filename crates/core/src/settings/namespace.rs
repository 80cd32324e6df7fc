//! The namespace that the plugin registers at the site.

use std::fmt;
use std::ops::Deref;

use calendar_edge_judge::contract::PLUGIN_NAMESPACE;

/// The namespace of the calendar API at the site, such as `tribe/events/v1`, and where it is known from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum OriginNamespace {
    /// Neither set nor read from the site: the plugin's name is used.
    #[default]
    Assumed,
    /// The site lists it; used because none is set.
    Listed(String),
    /// The operator set it; what the site lists does not change it.
    Set(String),
}

// === impl OriginNamespace ===

impl OriginNamespace {
    /// The namespace that the operator set.
    pub fn set(name: impl Into<String>) -> Self {
        Self::Set(name.into())
    }

    /// The namespace that the site lists.
    pub fn listed(name: impl Into<String>) -> Self {
        Self::Listed(name.into())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Assumed => PLUGIN_NAMESPACE,
            Self::Listed(name) | Self::Set(name) => name,
        }
    }

    /// True if the operator set it.
    pub const fn is_set(&self) -> bool {
        matches!(self, Self::Set(_))
    }
}

impl Deref for OriginNamespace {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Display for OriginNamespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
