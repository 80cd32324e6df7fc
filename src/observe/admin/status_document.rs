//! One small document about the state of the edge, for a page that requests it every second.

use serde_json::{Value, json};

use super::parts::AdminParts;
use super::status::reading;
use crate::server::{Subject, joined};
use crate::telemetry::{moment, process_memory};
use calendar_edge_core::concerns::word;

/// The document at `/status`: the state of the edge now, under the settings in use.
pub(super) fn status_document(parts: &AdminParts) -> Value {
    let (metrics, concerns) = (&parts.metrics, parts.concerns());
    let file = parts.file.get().map(|file| file.display().to_string());
    let memory =
        |(used, limit): (Option<u64>, Option<u64>)| json!({"used_bytes": used, "limit_bytes": limit});
    let bodies =
        |(used, limit): (usize, usize)| memory((u64::try_from(used).ok(), u64::try_from(limit).ok()));
    joined([
        json!({"version": env!("CARGO_PKG_VERSION"), "started": moment(parts.facts.started)}),
        reading(&parts.facts, metrics),
        json!({
            "draining": !parts.readiness.is_ready(),
            "fine": word(&concerns),
            "concerns": concerns,
            "runs_saved": parts.runs_saved(),
        }),
        parts.pages.load().facts.clone(),
        json!({
            "configuration": metrics.reloads().figures(file.as_deref()),
            "listeners": parts.facts.listeners,
            "certificate": metrics.certificate().shown(),
            "connections": metrics.connections().figures(),
        }),
        joined(parts.subjects.all().map(Subject::status)),
        json!({
            "memory": {
                "requests": bodies(parts.bodies.usage()),
                "responses": bodies(parts.buffers.usage()),
                "process": memory(process_memory()),
            },
        }),
    ])
}
