//! The decision about a request that an operator sends to be explained: by the settings, tables and state in use.

use std::sync::Arc;

use bytes::Bytes;
use http_body::Body;
use serde_json::{Value, json};

use super::parts::AdminParts;
use crate::backend::preview;
use crate::server::bodies::read_small;
use crate::server::response::BoxError;
use crate::telemetry::unix_time;
use calendar_edge_core::errors;
use calendar_edge_core::explain::{Basis, TypedRequest, explain};
use calendar_edge_judge::problem::{Problem, Refusal};
use calendar_edge_judge::wordpress::payload::JsonError;

/// Maximum bytes of the JSON of a request: more than the usual `limits.body_bytes`, so that a body beyond it is explained.
const MOST_BYTES: usize = 16 << 20;

/// Reads the request, and explains it.
///
/// # Errors
///
/// When it is no request.
pub(super) async fn explanation<B>(parts: Arc<AdminParts>, body: B) -> Result<Value, Refusal>
where
    B: Body<Data = Bytes>,
    B::Error: Into<BoxError>,
{
    let body = read_small(body, MOST_BYTES).await?;
    // A large body takes long to judge.
    let story = tokio::task::spawn_blocking(move || story(&parts, &body)).await;
    let story = story.map_err(|_| errors::INTERNAL_ERROR.refusal())?;
    story.ok_or_else(|| Refusal::plain(Problem::InvalidJson(JsonError::Syntax)))
}

/// The story of a request, in a `mode` to be tried if it names one; none if it is no request.
fn story(parts: &AdminParts, body: &[u8]) -> Option<Value> {
    let document: Value = serde_json::from_slice(body).ok()?;
    let request = TypedRequest::from_json(&document)?;
    let pages = parts.pages.load();
    let mut settings = pages.settings.clone();
    if let Some(mode) = document.get("mode").and_then(Value::as_str) {
        settings.mode = mode.parse().ok()?;
    }
    let subjects = &parts.subjects;
    let zone = subjects.cache.clock.zone();
    let mut story = explain(
        &request,
        &Basis {
            settings: &settings,
            tables: &pages.tables,
            now: unix_time(),
            write: preview,
            returned: subjects.migration.returned().into_iter().collect(),
            zone: zone.as_deref(),
            companion: subjects.cache.companion(),
            page: &|target| subjects.pages.explain(target),
        },
    );
    if let Some(index) = story.get_mut("index") {
        *index = json!({"place": null, "mode": pages.settings.mode.name()});
    }
    Some(story)
}
