//! One small document about the state of the edge, for a page that asks every second.

mod backend_status;
mod contract;
mod drift;
mod facts;
mod readings;
mod stored;
mod traffic;

pub(super) use backend_status::BackendHealth;
pub(crate) use facts::EdgeFacts;
pub(super) use facts::SettingFacts;
pub(crate) use readings::Readings;

use serde::Serialize;
use serde_json::{Value, json};

use self::drift::DriftStatus;
use self::readings::CountReading;
use self::stored::CacheStatus;
use super::explained::moment;
use super::service::AdminParts;
use crate::fleet::FleetStatus;
use crate::migration::MigrationStatus;
use crate::telemetry::{Metrics, process_memory};

/// The document at `/status`.
#[derive(Debug, Serialize)]
pub(super) struct StatusDocument<'a> {
    version: &'static str,
    started: String,
    #[serde(flatten)]
    reading: CountReading,
    draining: bool,
    #[serde(flatten)]
    settings: &'a SettingFacts,
    configuration: Value,
    listeners: &'a [String],
    certificate: Value,
    connections: Value,
    cache: CacheStatus,
    fleet: Option<FleetStatus>,
    drift: Vec<DriftStatus>,
    #[serde(flatten)]
    migration: MigrationStatus,
    memory: Value,
}

// === impl StatusDocument ===

impl<'a> StatusDocument<'a> {
    /// The state of the edge now, under the settings in use.
    pub(super) fn of(parts: &'a AdminParts, settings: &'a SettingFacts) -> Self {
        let metrics = &parts.metrics;
        Self {
            version: env!("CARGO_PKG_VERSION"),
            started: moment(parts.facts.started),
            reading: CountReading::of(parts),
            draining: !parts.readiness.is_ready(),
            settings,
            configuration: configuration(parts),
            listeners: &parts.facts.listeners,
            certificate: certificate(metrics),
            connections: connections(metrics),
            cache: CacheStatus::of(&parts.cache),
            fleet: parts.fleet.status(),
            drift: DriftStatus::all(metrics),
            migration: parts.migration.status(),
            memory: memory(parts),
        }
    }
}

fn configuration(parts: &AdminParts) -> Value {
    let reloads = parts.metrics.reloads();
    let (succeeded, failed) = reloads.counts();
    let effective = parts.program_context.effective();
    let file = effective.as_ref().and_then(|effective| effective.file());
    let file = file.map(|file| file.display().to_string());
    json!({
        "file": file,
        "loaded": second(reloads.last_load()),
        "last_reload_refused": reloads.was_refused(),
        "reloads": {"success": succeeded, "failure": failed},
    })
}

fn certificate(metrics: &Metrics) -> Value {
    metrics.certificate().shown().map_or(
        Value::Null,
        |shown| json!({"names": shown.names, "expires": second(shown.not_after)}),
    )
}

fn connections(metrics: &Metrics) -> Value {
    let (open, limit, opened) = metrics.connections().figures();
    json!({"open": open, "limit": limit, "opened": opened})
}

fn memory(parts: &AdminParts) -> Value {
    let of = |(used, limit): (usize, usize)| json!({"used_bytes": used, "limit_bytes": limit});
    let (used, limit) = process_memory();
    json!({
        "requests": of(parts.bodies.usage()),
        "responses": of(parts.buffers.usage()),
        "process": {"used_bytes": used, "limit_bytes": limit},
    })
}

/// A second since 1970 as RFC 3339 writes it.
pub(super) fn second(unix_time: i64) -> String {
    let moment = jiff::Timestamp::from_second(unix_time).unwrap_or_default();
    format!("{moment:.0}")
}
