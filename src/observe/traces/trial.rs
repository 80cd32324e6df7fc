//! A collector tried beforehand.

use url::Url;
use uuid::Uuid;

use super::collector::{Delivery, SpanCollector};
use super::encode_spans::encode;
use crate::telemetry::with_causes;
use calendar_edge_core::settings::TraceSettings;

/// Sends the collector of these settings one request without spans, and returns its URL. None if the settings name no
/// collector.
///
/// # Errors
///
/// When it does not take them: its URL, with its message or its status, or the reason why it did not respond.
pub async fn try_collector(settings: &TraceSettings) -> Result<Option<Url>, String> {
    let Some(endpoint) = &settings.endpoint else {
        return Ok(None);
    };
    let collector = SpanCollector::new(endpoint, settings);
    let collector = collector.map_err(|error| format!("{endpoint}: {}", with_causes(&error)))?;
    let nothing = encode(Uuid::now_v7(), Vec::new());
    let url = &collector.url;
    match collector.send(nothing).await {
        Delivery::Taken { .. } => Ok(Some(url.clone())),
        Delivery::NotNow { reason, .. } | Delivery::Refused { reason } => Err(format!("{url}: {reason}")),
    }
}
