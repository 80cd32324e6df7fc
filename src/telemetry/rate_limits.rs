//! Refusals of rate limits.

use super::series::{Counter, metrics};
use calendar_edge_core::limits::rates::BUDGETS;

metrics! {
    /// The metrics of rate limits; clones share their values.
    pub(crate) struct RateLimitMetrics {
        rate_limited: Counter["budget" in BUDGETS] = "Requests refused because a budget was used up, by the budget";
    }
}

// === impl RateLimitMetrics ===

impl RateLimitMetrics {
    /// The requests that were refused so far: by the budgets of failed logins, and by others.
    pub(crate) fn sums(&self) -> [u64; 2] {
        let sums = self
            .rate_limited
            .sums(|[budget]| budget.word().ends_with("-logins"));
        [true, false].map(|of_logins| sums.get(&of_logins).copied().unwrap_or_default())
    }

    /// Counts a call beyond a budget.
    pub(crate) fn refused(&self, budget: &'static str) {
        self.rate_limited.add([budget.into()], 1);
    }
}
