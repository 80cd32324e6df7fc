//! The exporter of the settings in use, and those of earlier settings that still send.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use super::collector::SpanCollector;
use super::exporter::{Exporter, Surrounding};
use crate::backend::ClientError;
use crate::telemetry::{Metrics, SpanRecorder, Warnings};
use calendar_edge_core::settings::TraceSettings;

/// Maximum time for the last spans when the edge ends.
pub(crate) const LAST_SPANS: Duration = Duration::from_secs(2);

/// The recorder of requests' spans; clones share it.
///
/// An exporter ends when its recorder is gone: with the last request under its settings.
#[derive(Debug, Clone)]
pub(crate) struct Traces {
    settings: TraceSettings,
    recorder: Option<Arc<SpanRecorder>>,
    program_context: Surrounding,
    exporters: TaskTracker,
}

// === impl Traces ===

impl Traces {
    /// Starts the exporter of the first settings, if they name a collector.
    ///
    /// # Errors
    ///
    /// When TLS or the client toward the collector cannot be set up.
    pub(crate) fn new(
        settings: &TraceSettings,
        metrics: &Metrics,
        warnings: &Warnings,
    ) -> Result<Self, ClientError> {
        let none = Self {
            settings: TraceSettings::default(),
            recorder: None,
            program_context: Surrounding {
                metrics: metrics.spans().clone(),
                warnings: warnings.clone(),
                instance: Uuid::now_v7(),
                ending: CancellationToken::new(),
            },
            exporters: TaskTracker::new(),
        };
        none.adapt(settings)
    }

    /// The exporter of new settings: another one if they differ for it.
    ///
    /// # Errors
    ///
    /// As [`Self::new`].
    pub(crate) fn adapt(&self, settings: &TraceSettings) -> Result<Self, ClientError> {
        if self.settings == *settings {
            return Ok(self.clone());
        }
        Ok(Self {
            recorder: self.start(settings)?.map(Arc::new),
            settings: settings.clone(),
            ..self.clone()
        })
    }

    fn start(&self, settings: &TraceSettings) -> Result<Option<SpanRecorder>, ClientError> {
        let Some(endpoint) = &settings.endpoint else {
            return Ok(None);
        };
        let collector = SpanCollector::new(endpoint, settings)?;
        let metrics = self.program_context.metrics.clone();
        let (recorder, spans) = SpanRecorder::new(settings.queue, settings.sample, metrics);
        let exporter = Exporter::new(settings, spans, collector, self.program_context.clone());
        self.exporters.spawn(exporter.run());
        Ok(Some(recorder))
    }

    /// Takes the spans of requests under these settings; none without a collector.
    pub(crate) fn recorder(&self) -> Option<Arc<SpanRecorder>> {
        self.recorder.clone()
    }

    /// Sends what still waits, within [`LAST_SPANS`].
    pub(crate) async fn finish(&self) {
        self.program_context.ending.cancel();
        self.exporters.close();
        if tokio::time::timeout(LAST_SPANS, self.exporters.wait())
            .await
            .is_err()
        {
            tracing::warn!("the last spans are lost: the collector did not take them in time");
        }
    }
}
