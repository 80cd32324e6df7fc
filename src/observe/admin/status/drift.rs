//! How far backends are from the table.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::observe::admin::explained::moment;
use crate::telemetry::{BackendDrift, Metrics};

/// The most differences in words.
const MOST_TOLD: usize = 8;

/// The differences of one backend.
#[derive(Debug, Serialize)]
pub(super) struct DriftStatus {
    backend: String,
    compared: Option<String>,
    differences: usize,
    by_kind: BTreeMap<&'static str, usize>,
    told: Vec<String>,
}

// === impl DriftStatus ===

impl DriftStatus {
    /// All backends whose indexes are compared, by name.
    pub(super) fn all(metrics: &Metrics) -> Vec<Self> {
        let backends = metrics.drift().backends().into_iter();
        backends.map(|(name, drift)| Self::of(name, &drift)).collect()
    }

    fn of(backend: String, drift: &BackendDrift) -> Self {
        let told = drift.told();
        let counts = drift.counts().into_iter();
        Self {
            backend,
            compared: drift.compared.map(moment),
            differences: told.len(),
            by_kind: counts.filter(|(_, count)| *count > 0).collect(),
            told: told.into_iter().take(MOST_TOLD).collect(),
        }
    }
}
