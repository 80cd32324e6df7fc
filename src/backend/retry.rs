//! The retry budget of a backend: one read in ten, with a small reserve (T-69).

use std::sync::atomic::{AtomicU32, Ordering};

/// Tokens that a read adds, and tokens that a retry costs.
const DEPOSIT: u32 = 1;
const COST: u32 = 10;

/// Maximum tokens: ten retries.
const CEILING: u32 = 100;

/// A token bucket of retries: reads fill it, retries spend from it.
#[derive(Debug)]
pub(super) struct RetryBudget {
    saved: AtomicU32,
}

impl RetryBudget {
    pub(super) fn new() -> Self {
        Self {
            saved: AtomicU32::new(CEILING),
        }
    }

    /// Adds the share of one read.
    pub(super) fn deposit(&self) {
        self.update(|saved| Some((saved + DEPOSIT).min(CEILING)));
    }

    /// Spends one retry; false if the budget is used up.
    pub(super) fn withdraw(&self) -> bool {
        self.update(|saved| saved.checked_sub(COST))
    }

    fn update(&self, change: impl Fn(u32) -> Option<u32>) -> bool {
        self.saved
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, change)
            .is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenth_of_the_reads_may_be_retried() {
        let budget = RetryBudget::new();
        while budget.withdraw() {}
        for _ in 0..9 {
            budget.deposit();
        }
        assert!(!budget.withdraw());
        budget.deposit();
        assert!(budget.withdraw());
        assert!(!budget.withdraw());
    }
}
