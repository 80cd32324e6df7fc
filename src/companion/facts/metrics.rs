//! Metrics of the facts of the calendar.

use crate::telemetry::series::{Counter, Gauge, metrics};

metrics! {
    /// The metrics of the facts; clones share their values.
    pub(crate) struct FactsMetrics {
        facts_requests: Counter["outcome"] = "Requests for facts of the calendar, by their outcome";
        facts_whole: Gauge[] = "1 if the edge has all facts of the calendar";
    }
}

const OUTCOMES: [&str; 2] = ["responded", "failed"];

// === impl FactsMetrics ===

impl FactsMetrics {
    /// Creates all series with zero, as soon as the settings need facts.
    pub(crate) fn expect(&self) {
        self.facts_whole.expect([]);
        self.facts_requests.expect_all(OUTCOMES);
    }

    /// Counts a request for facts.
    pub(crate) fn requested(&self, has_response: bool) {
        let [responded, failed] = OUTCOMES;
        let outcome = if has_response { responded } else { failed };
        self.facts_requests.add([outcome.into()], 1);
    }

    /// Sets the gauge of whole facts.
    pub(crate) fn are_whole(&self, are_whole: bool) {
        self.facts_whole.set([], usize::from(are_whole));
    }
}
