//! Bodies that clients still read when their entry is gone: from then on they count as buffered responses.

use std::sync::{Arc, OnceLock, Weak};

use bytes::Bytes;
use parking_lot::Mutex;

use crate::server::bodies::counted;
use calendar_edge_core::relay::{BufferBudget, Reservation};

/// The bytes that an entry gives to clients, which all share them.
///
/// While the entry is stored they count toward `cache.memory`. Dropped with the entry, it counts those that clients
/// still hold toward `limits.response_buffer_total`, until the last client has them.
#[derive(Debug)]
pub(crate) struct SharedBodies {
    budget: BufferBudget,
    /// Each body or coding: its count, and its bytes.
    shared: Mutex<Vec<(Weak<OnceLock<Reservation>>, usize)>>,
}

/// Owns codings for as long as their entry is stored.
#[derive(Debug)]
pub(crate) struct SharedCodings {
    bodies: Weak<SharedBodies>,
    budget: BufferBudget,
}

// === impl SharedBodies ===

impl SharedBodies {
    pub(crate) fn new(budget: &BufferBudget) -> Arc<Self> {
        Arc::new(Self {
            budget: budget.clone(),
            shared: Mutex::default(),
        })
    }

    /// The same bytes, counted from the end of the entry on.
    pub(crate) fn share(&self, bytes: Bytes) -> Bytes {
        if !BufferBudget::is_counted(bytes.len()) {
            return bytes;
        }
        let count = Arc::default();
        self.shared.lock().push((Arc::downgrade(&count), bytes.len()));
        counted(bytes, count)
    }

    /// The same for codings, which are made later.
    pub(crate) fn of_codings(self: &Arc<Self>) -> SharedCodings {
        SharedCodings {
            bodies: Arc::downgrade(self),
            budget: self.budget.clone(),
        }
    }
}

impl Drop for SharedBodies {
    fn drop(&mut self) {
        for (counted, bytes) in self.shared.lock().drain(..) {
            if let Some(counted) = counted.upgrade() {
                // Set once: here.
                let _ = counted.set(self.budget.reserve(bytes));
            }
        }
    }
}

// === impl SharedCodings ===

impl SharedCodings {
    /// The same bytes, counted with the body that they are a coding of.
    pub(crate) fn own(&self, coded: Bytes) -> Bytes {
        match self.bodies.upgrade() {
            Some(bodies) => bodies.share(coded),
            None => self.budget.count(coded),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: usize = 64 * 1024;

    /// A budget that one body uses up.
    fn budget() -> BufferBudget {
        BufferBudget::new(BODY)
    }

    fn is_used_up(budget: &BufferBudget) -> bool {
        budget.allowance(BODY) < BODY
    }

    #[test]
    fn what_clients_hold_counts_from_the_end_of_the_entry_on() {
        let budget = budget();
        let bodies = SharedBodies::new(&budget);
        let stored = bodies.share(Bytes::from(vec![b'x'; BODY]));
        let held = stored.slice(..BODY / 2);
        assert!(!is_used_up(&budget), "it is in the cache");
        drop((stored, bodies));
        assert!(is_used_up(&budget));
        drop(held);
        assert!(!is_used_up(&budget));
    }

    #[test]
    fn what_nobody_holds_does_not_count() {
        let budget = budget();
        let bodies = SharedBodies::new(&budget);
        drop(bodies.share(Bytes::from(vec![b'x'; BODY])));
        drop(bodies);
        assert!(!is_used_up(&budget));
    }

    #[test]
    fn an_entry_that_goes_on_with_the_same_bytes_goes_on_with_its_shared_bodies() {
        let budget = budget();
        let bodies = SharedBodies::new(&budget);
        let body = bodies.share(Bytes::from(vec![b'x'; BODY]));
        let next = Arc::clone(&bodies);
        drop(bodies);
        assert!(!is_used_up(&budget));
        drop(next);
        assert!(is_used_up(&budget));
        drop(body);
    }

    #[test]
    fn codings_that_come_too_late_count_at_once() {
        let budget = budget();
        let bodies = SharedBodies::new(&budget);
        let codings = bodies.of_codings();
        let early = codings.own(Bytes::from(vec![b'x'; BODY]));
        assert!(!is_used_up(&budget));
        drop((early, bodies));
        assert!(!is_used_up(&budget));
        let late = codings.own(Bytes::from(vec![b'x'; BODY]));
        assert!(is_used_up(&budget));
        drop(late);
    }
}
