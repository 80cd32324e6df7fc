//! The memory budget of all request bodies.

use std::sync::Arc;

use parking_lot::Mutex;

use super::budget_state::BudgetState;
use super::share::Share;

/// The budget, `limits.request_buffer_total`; clones share it. It is created once and survives every reload.
///
/// A body is charged for the bytes that its buffer takes, not for those that it announces. One that finds the budget
/// used up waits in the order in which bodies began.
#[derive(Debug, Clone)]
pub(crate) struct BodyBudget(Arc<Mutex<BudgetState>>);

// === impl BodyBudget ===

impl BodyBudget {
    /// An unused budget of this many bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self(Arc::new(Mutex::new(BudgetState::new(limit))))
    }

    /// Gives up the slowest body whose client has paused for half a second in total: another waits for its place.
    pub(crate) fn preempt(&self) {
        self.0.lock().pauses.give_up_slowest();
    }

    /// The share of a body that is not in memory yet.
    pub(crate) fn open(&self) -> Share {
        Share::new(&self.0, 0)
    }

    /// Counts bytes that are in memory already, until the share is dropped. They may exceed the limit.
    pub(crate) fn count(&self, bytes: usize) -> Share {
        Share::new(&self.0, bytes)
    }

    /// The bytes that bodies take, and the most that they may.
    pub(crate) fn usage(&self) -> (usize, usize) {
        let state = self.0.lock();
        (state.used, state.limit)
    }

    #[cfg(test)]
    pub(super) fn used(&self) -> usize {
        self.usage().0
    }
}
