//! One small document about the state of the edge, for a page that asks every second.

use serde::Serialize;
use serde_json::Value;

use super::parts::AdminParts;
use super::status::{CacheStatus, CountReading, SettingFacts, SurfaceStatus};
use crate::telemetry::{
    ConnectionFigures, DriftStatus, ReloadFigures, ShownCertificate, moment, process_memory,
};

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
    configuration: ConfigurationStatus,
    listeners: &'a [String],
    certificate: Option<ShownCertificate>,
    connections: ConnectionFigures,
    cache: CacheStatus,
    fleet: Option<Value>,
    drift: Vec<DriftStatus>,
    surface: Vec<SurfaceStatus>,
    #[serde(flatten)]
    migration: Value,
    memory: MemoryStatus,
}

/// Where the configuration in use comes from.
#[derive(Debug, Serialize)]
struct ConfigurationStatus {
    file: Option<String>,
    #[serde(flatten)]
    reloads: ReloadFigures,
}

/// The memory of bodies, and of the process.
#[derive(Debug, Serialize)]
struct MemoryStatus {
    requests: UsedMemory,
    responses: UsedMemory,
    process: UsedMemory,
}

#[derive(Debug, Serialize)]
struct UsedMemory {
    used_bytes: Option<u64>,
    limit_bytes: Option<u64>,
}

// === impl StatusDocument ===

impl<'a> StatusDocument<'a> {
    /// The state of the edge now, under the settings in use.
    pub(super) fn of(parts: &'a AdminParts, settings: &'a SettingFacts) -> Self {
        let metrics = &parts.metrics;
        let effective = parts.program_context.effective();
        let file = effective.as_ref().and_then(|effective| effective.file());
        let (used_bytes, limit_bytes) = process_memory();
        Self {
            version: env!("CARGO_PKG_VERSION"),
            started: moment(parts.facts.started),
            reading: CountReading::of(&parts.facts, metrics),
            draining: !parts.readiness.is_ready(),
            settings,
            configuration: ConfigurationStatus {
                file: file.map(|file| file.display().to_string()),
                reloads: metrics.reloads().figures(),
            },
            listeners: parts.facts.listeners(),
            certificate: metrics.certificate().shown(),
            connections: metrics.connections().figures(),
            cache: CacheStatus::of(&parts.cache),
            fleet: parts.fleet.status(),
            drift: metrics.drift().status(),
            surface: SurfaceStatus::all(metrics),
            migration: parts.migration.status(),
            memory: MemoryStatus {
                requests: UsedMemory::of(parts.bodies.usage()),
                responses: UsedMemory::of(parts.buffers.usage()),
                process: UsedMemory {
                    used_bytes,
                    limit_bytes,
                },
            },
        }
    }
}

// === impl UsedMemory ===

impl UsedMemory {
    fn of((used, limit): (usize, usize)) -> Self {
        let bytes = |bytes| u64::try_from(bytes).ok();
        Self {
            used_bytes: bytes(used),
            limit_bytes: bytes(limit),
        }
    }
}
