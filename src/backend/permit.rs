//! The permit of one exchange.

use super::permit_queue::Slot;
use crate::telemetry::{GaugeGuard, PermitMetrics};

/// Allows one exchange; released when dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    _slot: Slot,
    _counted: GaugeGuard,
}

// === impl Permit ===

impl Permit {
    /// A permit that counts as held while it lives.
    pub(super) fn new(slot: Slot, metrics: &PermitMetrics) -> Self {
        Self {
            _slot: slot,
            _counted: metrics.acquired(),
        }
    }
}
