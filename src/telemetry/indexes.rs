//! The number of times that indexes of the sites were read.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

/// The metrics of reading indexes; clones share their values.
#[derive(Debug, Clone, Default)]
pub(crate) struct IndexMetrics {
    reads: Family<IndexLabels, Counter>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct IndexLabels {
    result: &'static str,
}

const SUCCESS: IndexLabels = IndexLabels { result: "success" };
const FAILURE: IndexLabels = IndexLabels { result: "failure" };

// === impl IndexMetrics ===

impl IndexMetrics {
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register(
            "index_reads",
            "Reads of the sites' indexes, by which arguments are judged or not",
            self.reads.clone(),
        );
        // Both series exist from the start, so that "no failures" differs from "no data".
        drop(self.reads.get_or_create(&SUCCESS));
        drop(self.reads.get_or_create(&FAILURE));
    }

    /// Counts an index that was read.
    pub(crate) fn read(&self) {
        self.reads.get_or_create(&SUCCESS).inc();
    }

    /// Counts an index that could not be read, or was none.
    pub(crate) fn failed(&self) {
        self.reads.get_or_create(&FAILURE).inc();
    }
}
