//! Requests since the start, by operation.

use serde::Serialize;

use crate::telemetry::Metrics;

/// The requests of one operation.
#[derive(Debug, Serialize)]
pub(super) struct OperationStatus {
    name: &'static str,
    requests: u64,
    refused: u64,
}

// === impl OperationStatus ===

impl OperationStatus {
    /// The operations that were asked for, by name.
    pub(super) fn all(metrics: &Metrics) -> Vec<Self> {
        let sums = metrics.requests().by_operation().into_iter();
        let status = sums.map(|(name, sums)| Self {
            name,
            requests: sums.requests,
            refused: sums.refused,
        });
        status.collect()
    }
}
