//! How often rules about the rest of the site took requests, and what became of these.

use std::sync::Arc;

use strum::VariantArray as _;

use super::series::{Counter, NamedSums, metrics};

metrics! {
    /// The metrics of these rules; clones share their values.
    pub(crate) struct SurfaceMetrics {
        surface_requests: Counter["rule", "outcome"] =
            "Requests to the rest of the site that a rule of `[[surface]]` took, by what became of them";
        surface_unclear: Counter =
            "Requests to the rest of the site that passed because it could not be told whether a rule takes them";
    }
}

/// What becomes of a request that a rule takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub(crate) enum SurfaceOutcome {
    /// It passes the rule.
    Passed,
    /// It passes only because the rule reports.
    Reported,
    /// Its caller does not pass.
    Refused,
    /// It is beyond the rate.
    Limited,
}

// === impl SurfaceOutcome ===

impl SurfaceOutcome {
    /// The word in logs and metrics.
    pub(crate) const fn name(self) -> &'static str {
        self.into_str()
    }
}

// === impl SurfaceMetrics ===

impl SurfaceMetrics {
    /// Creates the series of a rule with zero.
    pub(crate) fn expect(&self, rule: &str) {
        let rule: Arc<str> = rule.into();
        for outcome in SurfaceOutcome::VARIANTS {
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

    /// Counts a request of which it cannot be told whether a rule takes it.
    pub(crate) fn unclear(&self) {
        self.surface_unclear.inc();
    }

    /// The requests that each rule took, by what became of them.
    pub(crate) fn sums(&self) -> NamedSums {
        self.surface_requests
            .sums(|[rule, outcome]| (rule.text(), outcome.word()))
    }
}
