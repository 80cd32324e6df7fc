//! Metrics of the feed of changes.

use crate::telemetry::series::{Counter, Gauge, metrics};
use calendar_edge_core::companion::feed::RecordVerdict;

metrics! {
    /// The metrics of the feed; clones share their values.
    pub(crate) struct FeedMetrics {
        feed_readers: Gauge[] = "Readers of the feed of changes that wait or have a stream";
        feed_verdicts: Counter["verdict"] = "Records that have changed, by what an anonymous reader found";
    }
}

const VERDICTS: [&str; 3] = ["readable", "hidden", "failed"];

// === impl FeedMetrics ===

impl FeedMetrics {
    /// Creates all series with zero, as soon as the settings switch the feed on.
    pub(crate) fn expect(&self) {
        self.feed_readers.expect([]);
        self.feed_verdicts.expect_all(VERDICTS);
    }

    /// Notes the number of readers that wait or have a stream.
    pub(crate) fn readers(&self, count: usize) {
        self.feed_readers.set([], count);
    }

    /// Counts the verdict of an anonymous read.
    pub(crate) fn judged(&self, verdict: &RecordVerdict) {
        let [readable, hidden, failed] = VERDICTS;
        let verdict = match verdict {
            RecordVerdict::Readable(_) => readable,
            RecordVerdict::Hidden => hidden,
            RecordVerdict::Failed | RecordVerdict::Refused => failed,
        };
        self.feed_verdicts.add([verdict.into()], 1);
    }
}
