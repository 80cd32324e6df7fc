//! The invalidation of stored responses after changes that the plugin reports, as this room sees it.

use std::fmt::Debug;
use std::time::Duration;

use calendar_edge_core::cache::{Removal, RemovalCause};
use calendar_edge_core::unix_time::UnixTime;

/// Stored responses that changes invalidate.
pub(crate) trait Invalidates: Debug + Send + Sync {
    /// Removes responses at once, without counting them. Returns the generation that this begins.
    fn begin_removal(&self, removal: &Removal, cause: RemovalCause) -> u64;

    /// Drops the responses that removals have ended, and counts them. They are not served in any case.
    fn drop_removed(&self) -> usize;

    /// Notes a sign of the companion plugin. `is_unbroken` means that its counter shows no change of which the edge has
    /// no message; else responses stored before are requested again.
    fn companion_seen(&self, at: UnixTime, is_unbroken: bool);

    /// True if any response was stored so far.
    fn has_stored(&self) -> bool;

    /// The time in which a lost message has to be noticed.
    fn reconcile(&self) -> Duration;

    /// Shows operators whether the companion plugin is expected and sends nothing while clients call.
    fn companion_is_silent(&self, is_silent: bool);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::companion::facts::FactsStore;
    use crate::companion::{ChangeFeed, Companions};
    use crate::telemetry::Metrics;
    use calendar_edge_core::settings::Settings;

    /// No stored responses.
    #[derive(Debug)]
    struct NothingStored;

    impl Invalidates for NothingStored {
        fn begin_removal(&self, _: &Removal, _: RemovalCause) -> u64 {
            0
        }

        fn drop_removed(&self) -> usize {
            0
        }

        fn companion_seen(&self, _: UnixTime, _: bool) {}

        fn has_stored(&self) -> bool {
            false
        }

        fn reconcile(&self) -> Duration {
            Duration::ZERO
        }

        fn companion_is_silent(&self, _: bool) {}
    }

    impl Companions {
        /// No plugin, for unit tests of stages.
        pub(crate) fn none(settings: &Settings) -> Arc<Self> {
            let metrics = Metrics::new();
            let facts = FactsStore::new(settings, &metrics);
            let feed = ChangeFeed::new(settings, &metrics);
            Arc::new(Self::new(Arc::new(NothingStored), feed, facts))
        }
    }
}
