//! The cache as operators see it: its memory, its lookups, and the signs of the companion plugin.

use serde_json::{Value, json};

use super::store::Cache;
use crate::server::{Subject, joined};
use crate::telemetry::{moment, unix_time};
use calendar_edge_core::concerns::{CompanionState, Figures};
use calendar_edge_core::settings::Settings;

impl Subject for Cache {
    fn adapt(&self, settings: &Settings) {
        self.take(&settings.cache);
    }

    fn status(&self) -> Value {
        let settings = self.settings();
        let (entries, used_bytes) = self.weight();
        let signs = self.companion();
        let cache = joined([
            json!({
                "enabled": settings.enabled,
                "entries": entries,
                "used_bytes": used_bytes,
                "limit_bytes": settings.memory,
            }),
            self.metrics.sums(),
            json!({
                "companion": {
                    "state": self.site_companion(unix_time()).word(),
                    "is_missed": self.metrics.is_companion_silent(),
                    "last_message": signs.map(|signs| moment(signs.last)),
                    "unbroken_since": signs.map(|signs| moment(signs.since)),
                },
            }),
        ]);
        json!({ "cache": cache })
    }

    fn measure(&self) {
        let (entries, bytes) = self.weight();
        self.metrics.hold(entries, bytes);
    }

    fn add_figures(&self, figures: &mut Figures) {
        figures.companion = if self.metrics.is_companion_silent() {
            CompanionState::Missed
        } else {
            self.site_companion(unix_time())
        };
    }

    fn runs_saved(&self) -> i64 {
        self.metrics.runs_saved()
    }
}
