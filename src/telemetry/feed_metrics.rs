//! What an edge counts of the feed of changes and of its receivers.

use std::sync::Arc;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use super::series::Series;
use super::table::{FEED_READERS, FEED_VERDICTS, WEBHOOK_DELIVERIES};
use calendar_edge_core::companion::feed::RecordVerdict;
use calendar_edge_core::settings::WebhookSettings;

/// The metrics of the feed; clones share their values.
#[derive(Debug, Clone)]
pub(crate) struct FeedMetrics {
    readers: Series<Gauge, 0>,
    verdicts: Series<Counter, 1>,
    deliveries: Series<Counter, 2>,
}

const VERDICTS: [&str; 3] = ["readable", "hidden", "failed"];

// === impl FeedMetrics ===

impl FeedMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        Self {
            readers: FEED_READERS.series(registry),
            verdicts: FEED_VERDICTS.series(registry),
            deliveries: WEBHOOK_DELIVERIES.series(registry),
        }
    }

    /// Creates all series with zero, as soon as the settings switch the feed on.
    pub(crate) fn expect(&self, webhooks: &[WebhookSettings]) {
        self.readers.expect([]);
        for verdict in VERDICTS {
            self.verdicts.expect([verdict.into()]);
        }
        for webhook in webhooks {
            let receiver: Arc<str> = webhook.name().into();
            for outcome in outcomes() {
                self.deliveries.expect([(&receiver).into(), outcome.into()]);
            }
        }
    }

    /// Notes the number of readers that wait or have a stream.
    pub(crate) fn readers(&self, count: usize) {
        self.readers.of([]).set(i64::try_from(count).unwrap_or(i64::MAX));
    }

    /// Counts what an anonymous reader found.
    pub(crate) fn judged(&self, verdict: &RecordVerdict) {
        let [readable, hidden, failed] = VERDICTS;
        let verdict = match verdict {
            RecordVerdict::Readable(_) => readable,
            RecordVerdict::Hidden => hidden,
            RecordVerdict::Failed | RecordVerdict::Refused => failed,
        };
        self.verdicts.add([verdict.into()], 1);
    }

    /// Counts a request to a receiver.
    pub(crate) fn delivered(&self, receiver: &Arc<str>, is_taken: bool) {
        let [taken, failed] = outcomes();
        let outcome = if is_taken { taken } else { failed };
        self.deliveries.add([receiver.into(), outcome.into()], 1);
    }
}

const fn outcomes() -> [&'static str; 2] {
    ["taken", "failed"]
}
