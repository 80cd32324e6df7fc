//! The backends: their breakers, permits and queues.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::observe::admin::explained::moment;
use crate::telemetry::{BackendMetrics, Metrics, PermitFigures, TrafficKind};

/// The state of one backend.
#[derive(Debug, Serialize)]
pub(super) struct BackendStatus {
    #[serde(flatten)]
    health: BackendHealth,
    traffic: BTreeMap<&'static str, PermitStatus>,
}

/// Whether a backend answers.
#[derive(Debug, Serialize)]
pub(in crate::observe::admin) struct BackendHealth {
    name: String,
    breaker: &'static str,
    last_answer: Option<String>,
    last_failure: Option<String>,
}

/// The permits for one kind of traffic.
#[derive(Debug, Serialize)]
struct PermitStatus {
    in_use: i64,
    permits: i64,
    waiting: i64,
    places: i64,
    shed: u64,
}

// === impl BackendStatus ===

impl BackendStatus {
    /// All backends in use, by name.
    pub(super) fn all(metrics: &Metrics) -> Vec<Self> {
        metrics.backends().iter().map(Self::of).collect()
    }

    fn of(backend: &BackendMetrics) -> Self {
        let permits = |kind: TrafficKind| {
            let figures = backend.permits(kind).figures();
            (kind.label(), PermitStatus::of(figures))
        };
        Self {
            health: BackendHealth::of(backend),
            traffic: TrafficKind::ALL.map(permits).into(),
        }
    }
}

// === impl BackendHealth ===

impl BackendHealth {
    /// All backends in use, by name.
    pub(in crate::observe::admin) fn all(metrics: &Metrics) -> Vec<Self> {
        metrics.backends().iter().map(Self::of).collect()
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

// === impl PermitStatus ===

impl PermitStatus {
    const fn of(figures: PermitFigures) -> Self {
        Self {
            in_use: figures.in_use,
            permits: figures.permits,
            waiting: figures.waiting,
            places: figures.places,
            shed: figures.shed,
        }
    }
}
