//! The number of reloads, and the time of the last successful one.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use super::table::{
    CONFIG_LAST_RELOAD_SUCCESS_TIMESTAMP_SECONDS, CONFIG_LAST_RELOAD_SUCCESSFUL, CONFIG_RELOADS,
};
use super::wall_clock::unix_time;

/// The metrics of reloads; clones share their values.
#[derive(Debug, Clone)]
pub(crate) struct ReloadMetrics {
    successes: Counter,
    failures: Counter,
    last_success: Gauge,
    was_successful: Gauge,
}

// === impl ReloadMetrics ===

impl ReloadMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let reloads = CONFIG_RELOADS.series(registry);
        Self {
            successes: reloads.of(["success".into()]),
            failures: reloads.of(["failure".into()]),
            last_success: CONFIG_LAST_RELOAD_SUCCESS_TIMESTAMP_SECONDS.value(registry),
            was_successful: CONFIG_LAST_RELOAD_SUCCESSFUL.value(registry),
        }
    }

    /// Sets the time of the current configuration to now.
    pub(crate) fn loaded(&self) {
        let now = unix_time().as_secs();
        self.last_success.set(i64::try_from(now).unwrap_or(i64::MAX));
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
        (self.successes.get(), self.failures.get())
    }

    /// Counts a successful reload.
    pub(crate) fn succeeded(&self) {
        self.successes.inc();
        self.loaded();
    }

    /// Counts a refused reload.
    pub(crate) fn failed(&self) {
        self.failures.inc();
        self.was_successful.set(0);
    }
}
