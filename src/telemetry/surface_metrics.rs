//! How often rules about the rest of the site took requests, and what became of these.

use std::sync::Arc;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;

use super::series::Series;
use super::table::{SURFACE_REQUESTS, SURFACE_UNCLEAR};
use calendar_edge_core::gateway::surface::SurfaceOutcome;

/// The metrics of these rules; clones share their values.
#[derive(Debug, Clone)]
pub(crate) struct SurfaceMetrics {
    requests: Series<Counter, 2>,
    unclear: Counter,
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
