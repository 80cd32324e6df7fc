//! The number of times that indexes of the sites were read.

use super::series::{Counter, Gauge, metrics};

metrics! {
    /// The metrics of reading indexes; clones share their values.
    pub(crate) struct IndexMetrics {
        index_reads: Counter["result" in ["success", "failure"]] =
            "Reads of the sites' indexes, by which arguments are judged or not";
        index_unread: Gauge = "Reads of the sites' indexes that failed since one last succeeded";
    }
}

// === impl IndexMetrics ===

impl IndexMetrics {
    /// Counts an index that was read.
    pub(crate) fn read(&self) {
        self.index_reads.add(["success".into()], 1);
        self.index_unread.set(0);
    }

    /// Counts an index that could not be read, or was none.
    pub(crate) fn failed(&self) {
        self.index_reads.add(["failure".into()], 1);
        self.index_unread.inc();
    }

    /// True if so many reads failed in a row that it is no accident.
    pub(crate) fn is_unread(&self) -> bool {
        self.index_unread.get() > 3
    }
}
