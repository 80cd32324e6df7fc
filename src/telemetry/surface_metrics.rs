//! How often rules about the rest of the site took requests, and what became of these.

use std::sync::Arc;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;

use super::series::Series;
use super::table::{SURFACE_REQUESTS, SURFACE_UNCLEAR};

/// What becomes of a request that a rule takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

/// The metrics of these rules; clones share their values.
#[derive(Debug, Clone)]
pub(crate) struct SurfaceMetrics {
    requests: Series<Counter, 2>,
    unclear: Counter,
}

// === impl SurfaceOutcome ===

impl SurfaceOutcome {
    const ALL: [Self; 4] = [Self::Passed, Self::Reported, Self::Refused, Self::Limited];

    /// The word in logs and metrics.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Reported => "reported",
            Self::Refused => "refused",
            Self::Limited => "limited",
        }
    }
}

// === impl SurfaceMetrics ===

impl SurfaceMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        Self {
            requests: SURFACE_REQUESTS.series(registry),
            unclear: SURFACE_UNCLEAR.value(registry),
        }
    }

    /// Creates the series of a rule with zero.
    pub(crate) fn expect(&self, rule: &str) {
        for outcome in SurfaceOutcome::ALL {
            self.of(rule, outcome);
        }
    }

    /// Counts a request that a rule took.
    pub(crate) fn took(&self, rule: &str, outcome: SurfaceOutcome) {
        self.of(rule, outcome).inc();
    }

    /// Counts a request of which it cannot be told whether a rule takes it.
    pub(crate) fn unclear(&self) {
        self.unclear.inc();
    }

    fn of(&self, rule: &str, outcome: SurfaceOutcome) -> Counter {
        let rule: Arc<str> = rule.into();
        self.requests.of([(&rule).into(), outcome.name().into()])
    }
}
