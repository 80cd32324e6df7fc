//! Calls in a row that failed, as a breaker counts them, but by client; also responses that differ.

use std::collections::HashMap;
use std::time::Duration;

use super::place::ClientId;
use crate::unix_time::UnixTime;

/// The failures since the last call that did not fail.
#[derive(Debug, Clone, Default)]
pub(super) struct FailureRun {
    /// The failures in a row.
    pub(super) failed: u64,
    /// The failures of each client.
    pub(super) clients: HashMap<ClientId, u64>,
    /// The first failure.
    began: Option<UnixTime>,
}

/// The clients that a run distinguishes.
const MOST_CLIENTS: usize = 1024;

// === impl FailureRun ===

impl FailureRun {
    /// Counts a failure.
    pub(super) fn fail(&mut self, client: ClientId, now: UnixTime) {
        self.failed += 1;
        self.began.get_or_insert(now);
        if self.clients.len() < MOST_CLIENTS || self.clients.contains_key(&client) {
            *self.clients.entry(client).or_default() += 1;
        }
    }

    /// Ends the run.
    pub(super) fn end(&mut self) {
        self.failed = 0;
        self.clients.clear();
        self.began = None;
    }

    /// The time since the first of them.
    pub(super) fn length(&self, now: UnixTime) -> Duration {
        self.began
            .map_or(Duration::ZERO, |began| now.saturating_since(began))
    }

    /// The failures in a row without those of the client that has most.
    pub(super) fn without_one(&self) -> u64 {
        self.failed - self.clients.values().copied().max().unwrap_or(0)
    }
}
