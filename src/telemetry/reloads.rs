//! The number of reloads, and the time of the last successful one.

use serde_json::{Value, json};

use super::series::{Counter, Gauge, metrics};
use super::wall_clock::{second, unix_time};

metrics! {
    /// The metrics of reloads; clones share their values.
    pub(crate) struct ReloadMetrics {
        config_last_reload_success_timestamp_seconds: Gauge = "When the configuration in use was read";
        config_last_reload_successful: Gauge =
            "1 if the configuration in use is the one that was read last; 0 after a refused reload";
        config_reloads: Counter["result" in ["success", "failure"]] = "Reloads of the configuration";
    }
}

// === impl ReloadMetrics ===

impl ReloadMetrics {
    /// Sets the time of the current configuration to now.
    pub(crate) fn loaded(&self) {
        let now = unix_time().as_secs();
        self.config_last_reload_success_timestamp_seconds
            .set(i64::try_from(now).unwrap_or(i64::MAX));
        self.config_last_reload_successful.set(1);
    }

    /// When the configuration in use was read, as RFC 3339 writes it.
    pub(crate) fn last_load(&self) -> String {
        second(self.config_last_reload_success_timestamp_seconds.get())
    }

    /// The reloads so far, and the file of the configuration, if there is one.
    pub(crate) fn figures(&self, file: Option<&str>) -> Value {
        json!({
            "file": file,
            "loaded": self.last_load(),
            "last_reload_refused": self.is_refused(),
            "reloads": self.config_reloads.sums(|[result]| result.word()),
        })
    }

    /// True if the last reload was refused.
    pub(crate) fn is_refused(&self) -> bool {
        self.config_last_reload_successful.get() == 0
    }

    /// Counts a successful reload.
    pub(crate) fn succeeded(&self) {
        self.config_reloads.add(["success".into()], 1);
        self.loaded();
    }

    /// Counts a refused reload.
    pub(crate) fn failed(&self) {
        self.config_reloads.add(["failure".into()], 1);
        self.config_last_reload_successful.set(0);
    }
}
