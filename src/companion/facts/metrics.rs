//! Metrics of the facts of the calendar.

use crate::telemetry::series::{Counter, Gauge, metrics};

metrics! {
    /// The metrics of the facts; clones share their values.
    pub(crate) struct FactsMetrics {
        facts_questions: Counter["outcome"] = "Requests for facts of the calendar, by their outcome";
        facts_whole: Gauge[] = "1 if the edge has all facts of the calendar";
    }
}

const OUTCOMES: [&str; 2] = ["answered", "failed"];

// === impl FactsMetrics ===

impl FactsMetrics {
    /// Creates all series with zero, as soon as the settings need facts.
    pub(crate) fn expect(&self) {
        self.facts_whole.expect([]);
        self.facts_questions.expect_all(OUTCOMES);
    }

    /// Counts a request for facts.
    pub(crate) fn requested(&self, is_answered: bool) {
        let [answered, failed] = OUTCOMES;
        let outcome = if is_answered { answered } else { failed };
        self.facts_questions.add([outcome.into()], 1);
    }

    /// Sets the gauge of whole facts.
    pub(crate) fn are_whole(&self, are_whole: bool) {
        self.facts_whole.set([], usize::from(are_whole));
    }
}
