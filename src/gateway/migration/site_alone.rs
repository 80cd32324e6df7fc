//! The stages of a build without migration: the site answers every call, and no call is copied.

use crate::gateway::dispatch::Dispatch;
use crate::gateway::{Parts, Shared};
use calendar_edge_core::cache::KeySpace;
use calendar_edge_core::settings::Settings;

/// The site.
#[derive(Debug, Clone, Default)]
pub(in crate::gateway) struct SiteAlone;

// === impl SiteAlone ===

impl SiteAlone {
    /// The site.
    pub(in crate::gateway) const fn primary() -> Self {
        Self
    }

    /// The keys of the stored responses of a backend beside the site: there is none.
    #[expect(clippy::unused_self, reason = "as in builds with migration")]
    pub(in crate::gateway) const fn keys(&self) -> Option<&KeySpace> {
        None
    }

    /// Whether the site answers a read should the backend of a rule fail: no rule has one.
    #[expect(clippy::unused_self, reason = "as in builds with migration")]
    pub(in crate::gateway) const fn falls_back(&self) -> bool {
        false
    }

    /// Whether a backend beside the site answers.
    #[expect(clippy::unused_self, reason = "as in builds with migration")]
    pub(in crate::gateway) const fn is_candidate(&self) -> bool {
        false
    }
}

/// The stages below.
pub(in crate::gateway) fn cutting_over<S>(inner: S, _: &Parts, _: &Settings, _: &Shared) -> S {
    inner
}

/// The stages below.
pub(in crate::gateway) fn shadowing<S>(inner: S, _: &Parts, _: &Settings, _: &Shared) -> S {
    inner
}

/// The site.
pub(in crate::gateway) const fn select_backend(primary: Dispatch) -> Dispatch {
    primary
}
