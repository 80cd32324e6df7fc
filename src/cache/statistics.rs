//! What the cache holds and how often it was asked, for operators.

use calendar_edge_core::unix_time::UnixTime;

use serde::Serialize;
use serde_json::Value;

use super::store::Cache;

/// What the cache holds and how often it was asked.
#[derive(Debug, Serialize)]
pub(crate) struct Statistics {
    enabled: bool,
    /// The number of stored responses.
    entries: u64,
    /// Their memory, in bytes.
    bytes: u64,
    /// The bound of that memory, in bytes.
    memory: u64,
    /// The age of the oldest answer, in seconds; none: nothing is stored.
    oldest: Option<u64>,
    /// The number of removals so far.
    generation: u64,
    companion: CompanionState,
    /// The share of lookups that were answered from the cache, by operation.
    operations: Value,
}

/// What is known of the companion plugin.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CompanionState {
    /// It never responded.
    Unseen,
    /// It responded within `cache.reconcile`.
    Alive,
    /// It responded before that.
    Silent,
}

// === impl Cache ===

impl Cache {
    /// What is stored at a time.
    pub(crate) fn statistics(&self, now: UnixTime) -> Statistics {
        let settings = self.settings();
        let answers = self.answers();
        answers.run_pending_tasks();
        let held = answers.iter().filter(|(_, stored)| self.holds(stored));
        let oldest = held.map(|(_, stored)| stored.age(now)).max();
        Statistics {
            enabled: settings.enabled,
            entries: answers.entry_count(),
            bytes: answers.weighted_size(),
            memory: settings.memory,
            oldest: oldest.map(|age| age.as_secs()),
            generation: self.generation(),
            companion: self.site_companion(now),
            operations: self.metrics().lookups_by_operation(),
        }
    }

    /// What is known of the companion plugin at a time.
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
        let answers = self.answers();
        answers.run_pending_tasks();
        (answers.entry_count(), answers.weighted_size())
    }

    /// Sets the gauges that are read with the metrics.
    pub(crate) fn measure(&self) {
        let (entries, bytes) = self.weight();
        self.metrics().hold(entries, bytes);
    }
}
