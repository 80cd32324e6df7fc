//! The readiness of the edge for traffic.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// The time for which a balancer that requested `/readyz` is expected to request it again.
const FOLLOWED: Duration = Duration::from_secs(30);

/// A flag that is set from the opening of the listeners to the stop signal, and the last request for it; clones share
/// both.
#[derive(Debug, Clone, Default)]
pub(crate) struct Readiness(Arc<Mutex<ReadinessState>>);

#[derive(Debug, Default)]
struct ReadinessState {
    is_ready: bool,
    requested: Option<Instant>,
}

// === impl Readiness ===

impl Readiness {
    /// Sets the flag.
    pub(crate) fn begin(&self) {
        self.0.lock().is_ready = true;
    }

    /// Clears the flag. Returns true if a balancer follows it, as far as its requests of late show.
    pub(crate) fn end(&self) -> bool {
        let mut state = self.0.lock();
        state.is_ready = false;
        state.requested.is_some_and(|at| at.elapsed() < FOLLOWED)
    }

    /// True if the edge is ready for traffic, for a client that requests `/readyz`.
    pub(crate) fn requested(&self) -> bool {
        let mut state = self.0.lock();
        state.requested = Some(Instant::now());
        state.is_ready
    }

    /// True if the edge is ready for traffic.
    pub(crate) fn is_ready(&self) -> bool {
        self.0.lock().is_ready
    }
}
