//! What rate limits decided.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;

use super::series::Series;
use super::table::{RATE_LIMIT_DECISIONS, RATE_LIMITED};
use calendar_edge_core::limits::rates::BUDGETS;

/// The metrics of rate limits; clones share their values.
#[derive(Debug, Clone)]
pub(crate) struct RateLimitMetrics {
    /// Each call of the calendar counts here or below.
    passed: Counter,
    beyond: Counter,
    refused: Series<Counter, 1>,
}

// === impl RateLimitMetrics ===

impl RateLimitMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let decisions = RATE_LIMIT_DECISIONS.series(registry);
        Self {
            passed: decisions.of(["passed".into()]),
            beyond: decisions.of(["refused".into()]),
            refused: RATE_LIMITED.series(registry).with(&BUDGETS),
        }
    }

    /// Counts a call within its budgets.
    pub(crate) fn passed(&self) {
        self.passed.inc();
    }

    /// Counts a call beyond a budget.
    pub(crate) fn refused(&self, budget: &'static str) {
        self.beyond.inc();
        self.refused.add([budget.into()], 1);
    }
}
