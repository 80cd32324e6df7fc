//! The readiness of the edge for traffic.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that is set from the opening of the listeners to the start of the drain.
#[derive(Debug, Clone, Default)]
pub(crate) struct Readiness(Arc<AtomicBool>);

impl Readiness {
    /// Sets the flag.
    pub(crate) fn begin(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Clears the flag.
    pub(crate) fn end(&self) {
        self.0.store(false, Ordering::Release);
    }

    /// True if the edge is ready for traffic.
    pub(crate) fn is_ready(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}
