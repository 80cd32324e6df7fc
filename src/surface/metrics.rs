//! Requests that rules about the rest of the site took, and their outcomes.

use std::sync::Arc;

use crate::telemetry::series::{Counter, NamedSums, metrics};
use calendar_edge_core::surface::SurfaceOutcome;

metrics! {
    /// The metrics of these rules; clones share their values.
    pub(crate) struct SurfaceMetrics {
        surface_requests: Counter["rule", "outcome"] =
            "Requests to the rest of the site that a rule of `[[surface]]` took, by what became of them";
        surface_unclear: Counter =
            "Requests to the rest of the site that passed because it was unclear whether a rule takes them";
    }
}

// === impl SurfaceMetrics ===

impl SurfaceMetrics {
    /// Creates the series of a rule with zero.
    pub(crate) fn expect(&self, rule: &str) {
        let rule: Arc<str> = rule.into();
        for outcome in SurfaceOutcome::ALL {
            self.surface_requests
                .expect([(&rule).into(), outcome.name().into()]);
        }
    }

    /// Counts a request that a rule took.
    pub(crate) fn took(&self, rule: &str, outcome: SurfaceOutcome) {
        let rule: Arc<str> = rule.into();
        self.surface_requests
            .add([(&rule).into(), outcome.name().into()], 1);
    }

    /// Counts a request for which it is unclear whether a rule takes it.
    pub(crate) fn unclear(&self) {
        self.surface_unclear.inc();
    }

    /// The requests that each rule took, by their outcome.
    pub(crate) fn sums(&self) -> NamedSums {
        self.surface_requests
            .sums(|[rule, outcome]| (rule.text(), outcome.word()))
    }
}
