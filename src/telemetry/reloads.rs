//! The number of reloads, and the time of the last successful one.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};

use super::wall_clock::unix_time;

/// The metrics of reloads; clones share their values.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReloadMetrics {
    reloads: Family<ResultLabels, Counter>,
    last_success: Gauge,
    was_successful: Gauge,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ResultLabels {
    result: &'static str,
}

const SUCCESS: ResultLabels = ResultLabels { result: "success" };
const FAILURE: ResultLabels = ResultLabels { result: "failure" };

// === impl ReloadMetrics ===

impl ReloadMetrics {
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register(
            "config_reloads",
            "Reloads of the configuration",
            self.reloads.clone(),
        );
        registry.register_with_unit(
            "config_last_reload_success_timestamp",
            "When the configuration in use was read",
            Unit::Seconds,
            self.last_success.clone(),
        );
        registry.register(
            "config_last_reload_successful",
            "Whether the configuration in use is the one that was read last: 0 after a refused reload, else 1",
            self.was_successful.clone(),
        );
        // Both series exist from the start, so that "no failures" differs from "no data".
        drop(self.reloads.get_or_create(&SUCCESS));
        drop(self.reloads.get_or_create(&FAILURE));
    }

    /// Sets the time of the current configuration to now.
    pub(crate) fn loaded(&self) {
        self.last_success.set(unix_time());
        self.was_successful.set(1);
    }

    /// When the configuration in use was read, in seconds since 1970.
    pub(crate) fn last_load(&self) -> i64 {
        self.last_success.get()
    }

    /// True if the last reload was refused, so that an earlier configuration is in use.
    pub(crate) fn was_refused(&self) -> bool {
        self.was_successful.get() == 0
    }

    /// The reloads that succeeded and those that were refused.
    pub(crate) fn counts(&self) -> (u64, u64) {
        let count = |labels| self.reloads.get_or_create(labels).get();
        (count(&SUCCESS), count(&FAILURE))
    }

    /// Counts a successful reload.
    pub(crate) fn succeeded(&self) {
        self.reloads.get_or_create(&SUCCESS).inc();
        self.loaded();
    }

    /// Counts a refused reload.
    pub(crate) fn failed(&self) {
        self.reloads.get_or_create(&FAILURE).inc();
        self.was_successful.set(0);
    }
}
