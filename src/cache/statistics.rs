//! The contents and hits of the cache, for operators.

use serde_json::{Value, json};

use super::store::Cache;
use calendar_edge_core::concerns::CompanionState;
use calendar_edge_core::unix_time::UnixTime;

// === impl Cache ===

impl Cache {
    /// The stored responses at a time, with their memory in bytes and the age of the oldest one in seconds; and the
    /// share of lookups that were served from the cache, by operation.
    pub(crate) fn statistics(&self, now: UnixTime) -> Value {
        let settings = self.settings();
        let responses = self.responses();
        responses.run_pending_tasks();
        let held = responses.iter().filter(|(_, stored)| self.holds(stored));
        let oldest = held.map(|(_, stored)| stored.age(now)).max();
        json!({
            "enabled": settings.enabled,
            "entries": responses.entry_count(),
            "bytes": responses.weighted_size(),
            "memory": settings.memory,
            "oldest": oldest.map(|age| age.as_secs()),
            "generation": self.generation(),
            "companion": self.site_companion(now).word(),
            "operations": self.metrics.lookups_by_operation(),
        })
    }

    /// The state of the companion plugin at a time: whether it ever responded, and within `cache.reconcile`.
    pub(crate) fn site_companion(&self, now: UnixTime) -> CompanionState {
        match self.companion() {
            None => CompanionState::Unseen,
            Some(signs) if now.saturating_since(signs.last) <= self.settings().reconcile => {
                CompanionState::Alive
            }
            Some(_) => CompanionState::Silent,
        }
    }

    /// The number of stored responses, and their memory in bytes.
    pub(crate) fn weight(&self) -> (u64, u64) {
        let responses = self.responses();
        responses.run_pending_tasks();
        (responses.entry_count(), responses.weighted_size())
    }
}
