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
    /// When the last reload was refused; zero if it was not.
    last_refusal: Gauge,
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
        // Both series exist from the start, so that "no failures" differs from "no data".
        drop(self.reloads.get_or_create(&SUCCESS));
        drop(self.reloads.get_or_create(&FAILURE));
    }

    /// Sets the time of the current configuration to now.
    pub(crate) fn loaded(&self) {
        self.last_refusal.set(0);
        self.last_success.set(unix_time());
    }

    /// When the configuration in use was read, in seconds since 1970.
    pub(crate) fn last_load(&self) -> i64 {
        self.last_success.get()
    }

    /// When the last reload was refused, in seconds since 1970, unless one has succeeded since.
    pub(crate) fn last_refusal(&self) -> Option<i64> {
        Some(self.last_refusal.get()).filter(|time| *time != 0)
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
        self.last_refusal.set(unix_time());
        self.reloads.get_or_create(&FAILURE).inc();
    }
}
