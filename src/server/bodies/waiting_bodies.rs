//! The bodies that wait for memory, in the order in which they began.

use std::collections::BTreeMap;
use std::task::Waker;

/// A body, numbered in the order in which they began.
pub(super) type BodyId = u64;

/// The waiting bodies of one class of sizes.
#[derive(Debug, Default)]
pub(super) struct Line {
    waiting: BTreeMap<BodyId, Waker>,
    /// The one body that may exceed the bound, so that bodies that wait for each other come to an end.
    ahead: Option<BodyId>,
}

// === impl Line ===

impl Line {
    /// Lets a body grow, if it fits or may exceed the bound; otherwise the body has to wait.
    pub(super) fn admit(&mut self, id: BodyId, fits: bool) -> bool {
        if self.ahead == Some(id) {
            return true;
        }
        let is_next = self.first().is_none_or(|first| id <= first);
        if is_next && !fits && self.ahead.is_none() {
            self.ahead = Some(id);
            return true;
        }
        is_next && fits
    }

    /// Puts a body into the line, or replaces its waker.
    pub(super) fn wait(&mut self, id: BodyId, waker: Waker) {
        self.waiting.insert(id, waker);
    }

    /// Takes a body out of the line. If it was in it, the next one may grow as well.
    pub(super) fn leave(&mut self, id: BodyId) {
        if self.waiting.remove(&id).is_some() {
            self.wake_first();
        }
    }

    /// Takes back the right to exceed the bound.
    pub(super) fn fall_back(&mut self, id: BodyId) {
        if self.ahead == Some(id) {
            self.ahead = None;
        }
    }

    /// Wakes the first body: memory was freed.
    pub(super) fn wake_first(&self) {
        if let Some(waker) = self.waiting.values().next() {
            waker.wake_by_ref();
        }
    }

    /// True if this body is the first in the line.
    pub(super) fn is_first(&self, id: BodyId) -> bool {
        self.first() == Some(id)
    }

    fn first(&self) -> Option<BodyId> {
        self.waiting.keys().next().copied()
    }
}
