//! Whether the edge wants traffic.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A switch that is on from the moment the listeners are open until the drain begins.
#[derive(Debug, Clone, Default)]
pub(crate) struct Readiness(Arc<AtomicBool>);

impl Readiness {
    /// Traffic is welcome from now on.
    pub(crate) fn begin(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Traffic should go elsewhere from now on.
    pub(crate) fn end(&self) {
        self.0.store(false, Ordering::Release);
    }

    /// Whether traffic is welcome.
    pub(crate) fn is_ready(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}
