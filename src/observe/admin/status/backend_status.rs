//! The backends: their breakers, permits and queues.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::joined;
use crate::telemetry::{BackendMetrics, Metrics, TrafficKind, moment};

/// All backends in use, by name: whether each answers, and its permits.
pub(super) fn backends(metrics: &Metrics) -> Value {
    let status = |backend: &BackendMetrics| {
        let figures = |kind: TrafficKind| (kind.label(), backend.permits(kind).figures());
        let traffic: BTreeMap<_, _> = TrafficKind::ALL.map(figures).into();
        joined([health(backend), json!({"traffic": traffic})])
    };
    metrics.backends().in_use().iter().map(status).collect()
}

/// Whether the backends in use answer, by name, or lead back to this edge.
pub(in crate::observe::admin) fn backend_health(metrics: &Metrics) -> Value {
    metrics.backends().in_use().iter().map(health).collect()
}

fn health(backend: &BackendMetrics) -> Value {
    let (answered, failed) = backend.last_reads();
    let breaker = match backend.breaker_level() {
        0 => "closed",
        1 => "half-open",
        _ => "open",
    };
    json!({
        "name": backend.name(),
        "breaker": breaker,
        "circle": backend.is_in_circle(),
        "last_answer": answered.map(moment),
        "last_failure": failed.map(moment),
    })
}
