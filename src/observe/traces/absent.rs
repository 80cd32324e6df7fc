//! The program without an exporter: nobody takes spans, and no setting can ask for it.

use std::sync::Arc;

use url::Url;

use super::CollectorTrouble;
use crate::backend::ClientError;
use crate::telemetry::{Metrics, SpanRecorder, Warnings};
use calendar_edge_core::settings::TraceSettings;

/// Nothing.
#[derive(Debug, Clone)]
pub(crate) struct NoTraces;

/// There is no collector to ask.
///
/// # Errors
///
/// Never.
pub async fn ask_collector(_: &TraceSettings) -> Result<Option<Url>, CollectorTrouble> {
    Ok(None)
}

// === impl NoTraces ===

impl NoTraces {
    #[expect(clippy::unnecessary_wraps, reason = "with an exporter it may fail")]
    pub(crate) fn new(_: &TraceSettings, _: &Metrics, _: &Warnings) -> Result<Self, ClientError> {
        Ok(Self)
    }

    #[expect(
        clippy::unnecessary_wraps,
        clippy::unused_self,
        reason = "with an exporter it may fail"
    )]
    pub(crate) fn adapt(&self, _: &TraceSettings) -> Result<Self, ClientError> {
        Ok(Self)
    }

    #[expect(clippy::unused_self, reason = "with an exporter there is one")]
    pub(crate) fn recorder(&self) -> Option<Arc<SpanRecorder>> {
        None
    }

    #[expect(clippy::unused_async, reason = "with an exporter it waits")]
    pub(crate) async fn finish(&self) {}
}
