//! A collector tried beforehand.

use url::Url;
use uuid::Uuid;

use super::collector::{Delivery, SpanCollector};
use super::encode_spans::SpanEncoder;
use super::unix_clock::UnixClock;
use crate::telemetry::with_causes;
use calendar_edge_core::settings::TraceSettings;

/// A collector that does not take spans now.
#[derive(Debug, thiserror::Error)]
#[error("{url}: {reason}")]
pub struct CollectorFault {
    /// Where spans are sent.
    url: Url,
    /// Its message or its status, or the reason why it did not respond.
    reason: String,
}

/// Sends the collector of these settings one request without spans, and returns its URL. None if the settings name no
/// collector.
///
/// # Errors
///
/// When it does not take them.
pub async fn try_collector(settings: &TraceSettings) -> Result<Option<Url>, CollectorFault> {
    let Some(endpoint) = &settings.endpoint else {
        return Ok(None);
    };
    let trouble = |url: &Url, reason| CollectorFault {
        url: url.clone(),
        reason,
    };
    let collector = SpanCollector::new(endpoint, settings);
    let collector = collector.map_err(|error| trouble(endpoint, with_causes(&error)))?;
    match send_nothing(&collector).await {
        Ok(()) => Ok(Some(collector.url().clone())),
        Err(reason) => Err(trouble(collector.url(), reason)),
    }
}

async fn send_nothing(collector: &SpanCollector) -> Result<(), String> {
    let encoder = SpanEncoder::new(Uuid::now_v7());
    let nothing = encoder.encode(Vec::new(), UnixClock::now());
    match collector.send(nothing).await {
        Delivery::Taken { .. } => Ok(()),
        Delivery::NotNow { reason, .. } | Delivery::Refused { reason } => Err(reason),
    }
}
