//! The backends: their breakers, permits and queues.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::server::joined;
use crate::telemetry::{BackendMetrics, Metrics, TrafficKind, moment};
use calendar_edge_core::limits::Position;

/// All backends in use, by name: their health, and their permits.
pub(super) fn backends(metrics: &Metrics) -> Value {
    let status = |backend: &Arc<BackendMetrics>| {
        let figures = |kind: TrafficKind| (kind.label(), backend.permits(kind).figures());
        let traffic: BTreeMap<_, _> = TrafficKind::ALL.map(figures).into();
        joined([health(backend), json!({"traffic": traffic})])
    };
    metrics.backends().in_use().iter().map(status).collect()
}

/// The health of the backends in use, by name: up, down, or a way back to this edge.
pub(in crate::observe::admin) fn backend_health(metrics: &Metrics) -> Value {
    metrics.backends().in_use().iter().map(health).collect()
}

fn health(backend: &Arc<BackendMetrics>) -> Value {
    let calls = backend.calls();
    let breaker = match backend.breaker() {
        Position::Closed => "closed",
        Position::HalfOpen => "half-open",
        Position::Open => "open",
    };
    json!({
        "name": backend.name(),
        "breaker": breaker,
        "circle": backend.is_in_circle(),
        "last_answer": calls.last_success.map(moment),
        "last_failure": calls.last_failure().map(moment),
    })
}
