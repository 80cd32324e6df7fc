//! The account of the memory that request bodies take.

use std::task::{Poll, Waker};

use super::pause::Pauses;
use super::waiting_bodies::{BodyId, Line};

/// Maximum bytes of a small body. A part of the budget is open to small bodies only, so that large ones, which are
/// rare, do not hold up the usual ones.
const SMALL: usize = 16 * 1024;

/// The part of the budget that is open to small bodies only: one in so many bytes.
const FOR_SMALL: usize = 8;

/// The memory that bodies take and wait for.
#[derive(Debug)]
pub(super) struct BudgetState {
    pub(super) limit: usize,
    pub(super) used: usize,
    small: Line,
    large: Line,
    /// Bodies that are still being received, and wait or have waited for their clients.
    pub(super) pauses: Pauses,
}

// === impl BudgetState ===

impl BudgetState {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            used: 0,
            small: Line::default(),
            large: Line::default(),
            pauses: Pauses::default(),
        }
    }

    /// Adds bytes that are in memory already.
    pub(super) const fn add(&mut self, bytes: usize) {
        self.used = self.used.saturating_add(bytes);
    }

    /// Lets a body grow from `held` to `wanted` bytes, or puts it into the line of those that wait.
    pub(super) fn poll_grow(&mut self, id: BodyId, held: usize, wanted: usize, waker: &Waker) -> Poll<()> {
        let after = self.used.saturating_add(wanted.saturating_sub(held));
        let is_small = wanted <= SMALL;
        let bound = if is_small {
            self.limit
        } else {
            self.limit - self.limit / FOR_SMALL
        };
        if !is_small {
            self.small.fall_back(id);
        }
        let line = if is_small {
            &mut self.small
        } else {
            &mut self.large
        };
        if !line.admit(id, after <= bound) {
            line.wait(id, waker.clone());
            return Poll::Pending;
        }
        self.used = after;
        line.leave(id);
        Poll::Ready(())
    }

    /// Gives up the slowest body, if this one is the first of those that wait.
    pub(super) fn preempt_for(&mut self, id: BodyId) {
        if self.small.is_first(id) || self.large.is_first(id) {
            self.pauses.give_up_slowest();
        }
    }

    /// Forgets a body and frees its bytes.
    pub(super) fn end(&mut self, id: BodyId, bytes: usize) {
        self.used = self.used.saturating_sub(bytes);
        self.pauses.forget(id);
        for line in [&mut self.small, &mut self.large] {
            line.fall_back(id);
            line.leave(id);
        }
        self.wake();
    }

    fn wake(&self) {
        self.small.wake_first();
        self.large.wake_first();
    }
}
