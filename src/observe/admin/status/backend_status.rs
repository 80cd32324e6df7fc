//! The backends: their breakers, permits and queues.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::telemetry::{BackendMetrics, Metrics, PermitFigures, TrafficKind, moment};

/// The state of one backend.
#[derive(Debug, Serialize)]
pub(super) struct BackendStatus {
    #[serde(flatten)]
    health: BackendHealth,
    traffic: BTreeMap<&'static str, PermitFigures>,
}

/// Whether a backend answers.
#[derive(Debug, Serialize)]
pub(in crate::observe::admin) struct BackendHealth {
    name: String,
    breaker: &'static str,
    last_answer: Option<String>,
    last_failure: Option<String>,
}

// === impl BackendStatus ===

impl BackendStatus {
    /// All backends in use, by name.
    pub(super) fn all(metrics: &Metrics) -> Vec<Self> {
        let backends = metrics.backends().in_use();
        let status = backends.iter().map(|backend| Self {
            health: BackendHealth::of(backend),
            traffic: TrafficKind::ALL
                .map(|kind| (kind.label(), backend.permits(kind).figures()))
                .into(),
        });
        status.collect()
    }
}

// === impl BackendHealth ===

impl BackendHealth {
    /// All backends in use, by name.
    pub(in crate::observe::admin) fn all(metrics: &Metrics) -> Vec<Self> {
        metrics.backends().in_use().iter().map(Self::of).collect()
    }

    fn of(backend: &BackendMetrics) -> Self {
        let (answered, failed) = backend.last_reads();
        Self {
            name: backend.name().to_owned(),
            breaker: match backend.breaker_level() {
                0 => "closed",
                1 => "half-open",
                _ => "open",
            },
            last_answer: answered.map(moment),
            last_failure: failed.map(moment),
        }
    }
}
