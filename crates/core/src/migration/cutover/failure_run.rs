//! Calls in a row that failed, as a breaker counts them, but by client.

use std::collections::HashMap;

use super::place::ClientId;

/// The failures since the last call that did not fail.
#[derive(Debug, Clone, Default)]
pub(super) struct FailureRun {
    failed: u64,
    clients: HashMap<ClientId, u64>,
}

/// The clients that a run tells apart.
const MOST_CLIENTS: usize = 1024;

// === impl FailureRun ===

impl FailureRun {
    /// Counts a failure.
    pub(super) fn fail(&mut self, client: ClientId) {
        self.failed += 1;
        if self.clients.len() < MOST_CLIENTS || self.clients.contains_key(&client) {
            *self.clients.entry(client).or_default() += 1;
        }
    }

    /// Ends the run.
    pub(super) fn end(&mut self) {
        self.failed = 0;
        self.clients.clear();
    }

    /// The failures in a row.
    pub(super) const fn failed(&self) -> u64 {
        self.failed
    }

    /// The same without those of the client that has most.
    pub(super) fn without_one(&self) -> u64 {
        self.failed - self.clients.values().copied().max().unwrap_or(0)
    }

    /// The clients whose calls failed.
    pub(super) fn clients(&self) -> impl Iterator<Item = &ClientId> {
        self.clients.keys()
    }
}
