//! Metrics of the feed of changes and of its receivers.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::telemetry::series::{Counter, Gauge, metrics};
use calendar_edge_core::companion::feed::RecordVerdict;
use calendar_edge_core::settings::WebhookSettings;

metrics! {
    /// The metrics of the feed; clones share their values.
    pub(crate) struct FeedMetrics {
        feed_readers: Gauge[] = "Readers of the feed of changes that wait or have a stream";
        feed_verdicts: Counter["verdict"] = "Records that have changed, by what an anonymous reader found";
        webhook_deliveries: Counter["receiver", "outcome"] = "Requests with changes to receivers of `[[webhooks]]`";
    }
}

const VERDICTS: [&str; 3] = ["readable", "hidden", "failed"];
const OUTCOMES: [&str; 2] = ["taken", "failed"];

// === impl FeedMetrics ===

impl FeedMetrics {
    /// Creates all series with zero, as soon as the settings switch the feed on.
    pub(crate) fn expect(&self, webhooks: &[WebhookSettings]) {
        self.feed_readers.expect([]);
        self.feed_verdicts.expect_all(VERDICTS);
        for webhook in webhooks {
            let receiver: Arc<str> = webhook.name().into();
            for outcome in OUTCOMES {
                self.webhook_deliveries
                    .expect([(&receiver).into(), outcome.into()]);
            }
        }
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

    /// The requests to each receiver: failed, and taken.
    pub(crate) fn deliveries(&self) -> BTreeMap<String, [u64; 2]> {
        let sums = self
            .webhook_deliveries
            .sums(|[receiver, outcome]| (receiver.text(), outcome.word()));
        let mut deliveries = BTreeMap::<String, [u64; 2]>::new();
        for ((receiver, outcome), count) in sums {
            let [failed, taken] = deliveries.entry(receiver.to_string()).or_default();
            *(if outcome == "failed" { failed } else { taken }) += count;
        }
        deliveries
    }

    /// Counts a request to a receiver.
    pub(crate) fn delivered(&self, receiver: &Arc<str>, is_taken: bool) {
        let [taken, failed] = OUTCOMES;
        let outcome = if is_taken { taken } else { failed };
        self.webhook_deliveries.add([receiver.into(), outcome.into()], 1);
    }
}
