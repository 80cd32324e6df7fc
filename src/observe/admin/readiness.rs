//! The readiness of the edge for traffic.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// The time for which a balancer that requested `/readyz` is expected to request it again.
const FOLLOWED: Duration = Duration::from_secs(30);

/// A flag that is set from the opening of the listeners to the stop signal, and the last request for it.
#[derive(Debug, Default)]
pub(crate) struct Readiness {
    is_ready: AtomicBool,
    requested: Mutex<Option<Instant>>,
}

// === impl Readiness ===

impl Readiness {
    /// Sets the flag.
    pub(crate) fn begin(&self) {
        self.is_ready.store(true, Ordering::Release);
    }

    /// Clears the flag. Returns true if a balancer follows it, as far as its requests of late show.
    pub(crate) fn end(&self) -> bool {
        let requested = self.requested.lock();
        self.is_ready.store(false, Ordering::Release);
        requested.is_some_and(|at| at.elapsed() < FOLLOWED)
    }

    /// True if the edge is ready for traffic, for a client that requests `/readyz`.
    pub(crate) fn requested(&self) -> bool {
        *self.requested.lock() = Some(Instant::now());
        self.is_ready()
    }

    /// True if the edge is ready for traffic.
    pub(crate) fn is_ready(&self) -> bool {
        self.is_ready.load(Ordering::Acquire)
    }
}
