//! The number of times that indexes of the sites were read.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;

use super::table::INDEX_READS;

/// The metrics of reading indexes; clones share their values.
#[derive(Debug, Clone)]
pub(crate) struct IndexMetrics {
    successes: Counter,
    failures: Counter,
}

// === impl IndexMetrics ===

impl IndexMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let reads = INDEX_READS.series(registry);
        Self {
            successes: reads.of(["success".into()]),
            failures: reads.of(["failure".into()]),
        }
    }

    /// Counts an index that was read.
    pub(crate) fn read(&self) {
        self.successes.inc();
    }

    /// Counts an index that could not be read, or was none.
    pub(crate) fn failed(&self) {
        self.failures.inc();
    }
}
