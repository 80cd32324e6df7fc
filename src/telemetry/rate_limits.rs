//! What rate limits decided.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

use calendar_edge_core::limits::rates::BUDGETS;

/// The metrics of rate limits; clones share their values.
#[derive(Debug, Clone)]
pub(crate) struct RateLimitMetrics {
    decisions: Family<DecisionLabels, Counter>,
    /// One of the decisions; every call of the calendar counts here.
    passed: Counter,
    refused: Family<BudgetLabels, Counter>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct DecisionLabels {
    decision: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct BudgetLabels {
    budget: &'static str,
}

const PASSED: DecisionLabels = DecisionLabels { decision: "passed" };
const REFUSED: DecisionLabels = DecisionLabels { decision: "refused" };

// === impl RateLimitMetrics ===

impl Default for RateLimitMetrics {
    fn default() -> Self {
        let decisions = Family::<DecisionLabels, Counter>::default();
        let this = Self {
            passed: decisions.get_or_create_owned(&PASSED),
            decisions,
            refused: Family::default(),
        };
        drop(this.decisions.get_or_create(&REFUSED));
        for budget in BUDGETS {
            drop(this.refused.get_or_create(&BudgetLabels { budget }));
        }
        this
    }
}

impl RateLimitMetrics {
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register(
            "rate_limit_decisions",
            "Calls of the calendar that rate limits let pass or refused",
            self.decisions.clone(),
        );
        registry.register(
            "rate_limited",
            "Requests refused because a budget was used up, by the budget",
            self.refused.clone(),
        );
    }

    /// Counts a call within its budgets.
    pub(crate) fn passed(&self) {
        self.passed.inc();
    }

    /// Counts a call beyond a budget.
    pub(crate) fn refused(&self, budget: &'static str) {
        self.decisions.get_or_create(&REFUSED).inc();
        self.refused.get_or_create(&BudgetLabels { budget }).inc();
    }
}
