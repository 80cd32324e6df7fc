//! The permit of one exchange.

use tokio::sync::OwnedSemaphorePermit;

use crate::telemetry::{GaugeGuard, PermitMetrics};

/// Allows one exchange; released when dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    _permit: OwnedSemaphorePermit,
    _counted: GaugeGuard,
}

// === impl Permit ===

impl Permit {
    /// A permit that counts as held while it lives.
    pub(super) fn new(permit: OwnedSemaphorePermit, metrics: &PermitMetrics) -> Self {
        Self {
            _permit: permit,
            _counted: metrics.acquired(),
        }
    }
}
