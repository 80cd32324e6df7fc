//! The permits of one backend, which the edges of a fleet divide.

use std::sync::Arc;
use std::time::Duration;

use super::bulkhead::Bulkhead;

/// The permits of calls to one backend; clones share them.
#[derive(Debug, Clone)]
pub(crate) struct SharedPermits {
    name: Arc<str>,
    calls: Arc<Bulkhead>,
}

// === impl SharedPermits ===

impl SharedPermits {
    pub(super) fn new(name: &str, calls: &Arc<Bulkhead>) -> Self {
        Self {
            name: name.into(),
            calls: Arc::clone(calls),
        }
    }

    /// The name of the backend in metrics.
    pub(crate) const fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The number of permits of all edges together.
    pub(crate) fn total(&self) -> usize {
        self.calls.capacity().permits.max(1)
    }

    /// Gives this edge so many of them.
    pub(crate) fn resize(&self, part: usize) {
        self.calls.resize(part);
    }

    /// The permits that are in use at this edge.
    pub(crate) fn in_use(&self) -> usize {
        self.calls.queue().permits().1
    }

    /// The time that all calls together have spent running or waiting since the start.
    pub(crate) fn busy_time(&self) -> Duration {
        self.calls.queue().busy_time()
    }
}
