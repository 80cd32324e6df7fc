//! The task that sends spans: in batches, again after failures that may pass, until the edge ends.

use std::time::Duration;

use bytes::Bytes;
use tokio::sync::mpsc::Receiver;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::collector::{Delivery, SpanCollector};
use super::encode_spans::encode;
use crate::backend::pauses;
use crate::telemetry::{Span, SpanMetrics, SpanOutcome, Warnings};
use calendar_edge_core::settings::TraceSettings;

/// Takes spans out of their queue and sends them.
#[derive(Debug)]
pub(super) struct Exporter {
    spans: Receiver<Span>,
    collector: SpanCollector,
    batch: usize,
    interval: Duration,
    program_context: Surrounding,
    /// The dropped spans that were logged already.
    logged_dropped: u64,
}

/// The parts that all exporters of an edge share.
#[derive(Debug, Clone)]
pub(super) struct Surrounding {
    pub(super) metrics: SpanMetrics,
    pub(super) warnings: Warnings,
    /// Distinguishes this run of the program from others.
    pub(super) instance: Uuid,
    /// Cancelled when the edge ends.
    pub(super) ending: CancellationToken,
}

/// Attempts after the first one.
const RETRIES: u32 = 5;

// === impl Exporter ===

impl Exporter {
    pub(super) fn new(
        settings: &TraceSettings,
        spans: Receiver<Span>,
        collector: SpanCollector,
        program_context: Surrounding,
    ) -> Self {
        Self {
            spans,
            collector,
            // A queue never holds more.
            batch: settings.batch.clamp(1, settings.queue.max(1)),
            interval: settings.interval,
            logged_dropped: program_context.metrics.counted(SpanOutcome::Dropped),
            program_context,
        }
    }

    /// Sends spans until no request can record more of them, or the edge ends; then the rest.
    pub(super) async fn run(mut self) {
        loop {
            let batch = self.next_batch().await;
            if batch.is_empty() {
                return;
            }
            self.deliver(batch).await;
            self.log_dropped();
        }
    }

    /// Waits for as many spans as a batch has room for, or for those of an interval. Empty if there will be none.
    async fn next_batch(&mut self) -> Vec<Span> {
        let mut batch = Vec::new();
        let mut due = Instant::now();
        loop {
            let room = self.batch - batch.len();
            tokio::select! {
                biased;
                () = self.program_context.ending.cancelled(), if !self.spans.is_closed() => self.spans.close(),
                taken = self.spans.recv_many(&mut batch, room) => {
                    if taken == 0 || taken == room {
                        return batch;
                    }
                    if taken == batch.len() {
                        due = Instant::now() + self.interval;
                    }
                }
                () = sleep_until(due), if !batch.is_empty() => return batch,
            }
        }
    }

    /// Sends a batch, again if it may help.
    async fn deliver(&mut self, batch: Vec<Span>) {
        let spans = u64::try_from(batch.len()).unwrap_or(u64::MAX);
        let Some(body) = self.encoded(batch).await else {
            return self.failed(spans, "they cannot be encoded".to_owned());
        };
        for failures in 0.. {
            match self.collector.send(body.clone()).await {
                Delivery::Taken { rejected, message } => {
                    return self.taken(spans, rejected.min(spans), message);
                }
                Delivery::Refused { reason } => return self.failed(spans, reason),
                Delivery::NotNow { reason, .. } if self.program_context.ending.is_cancelled() => {
                    // The next batch would fail likewise, and the edge cannot wait.
                    let waiting = self.take_waiting();
                    return self.failed(spans + waiting, reason);
                }
                Delivery::NotNow { reason, .. } if failures == RETRIES => return self.failed(spans, reason),
                Delivery::NotNow { reason, pause } => {
                    self.later(spans, reason);
                    self.pause(pauses::after(failures, pause)).await;
                }
            }
        }
    }

    /// Encodes beside the tasks of requests: it may take milliseconds.
    async fn encoded(&self, batch: Vec<Span>) -> Option<Bytes> {
        let instance = self.program_context.instance;
        let body = tokio::task::spawn_blocking(move || encode(instance, batch));
        body.await.ok()
    }

    /// Waits; when the edge ends, there is one last attempt at once.
    async fn pause(&self, pause: Duration) {
        tokio::select! {
            () = sleep(pause) => {}
            () = self.program_context.ending.cancelled() => {}
        }
    }

    fn taken(&self, spans: u64, rejected: u64, message: String) {
        let metrics = &self.program_context.metrics;
        metrics.count(SpanOutcome::Exported, spans - rejected);
        metrics.count(SpanOutcome::Rejected, rejected);
        if rejected > 0 || !message.is_empty() {
            self.program_context
                .warnings
                .warn("spans_rejected", move |count| {
                    tracing::warn!(
                        spans,
                        rejected,
                        told = message,
                        count,
                        "the collector warns or rejects spans"
                    );
                });
        }
    }

    fn failed(&self, spans: u64, error: String) {
        self.program_context.metrics.count(SpanOutcome::Failed, spans);
        self.program_context.warnings.warn("spans_failed", move |count| {
            tracing::warn!(
                spans,
                error,
                count,
                "spans are lost: the collector did not take them"
            );
        });
    }

    fn later(&self, spans: u64, error: String) {
        self.program_context.warnings.warn("spans_later", move |count| {
            tracing::info!(spans, error, count, "the collector does not take spans now");
        });
    }

    fn log_dropped(&mut self) {
        let dropped = self.program_context.metrics.counted(SpanOutcome::Dropped);
        let spans = dropped.saturating_sub(self.logged_dropped);
        self.logged_dropped = dropped;
        if spans > 0 {
            self.program_context.warnings.warn("spans_dropped", move |count| {
                tracing::warn!(spans, count, "spans are lost: too many wait for the collector");
            });
        }
    }

    /// Takes out the rest, and returns its number; nothing comes after it.
    fn take_waiting(&mut self) -> u64 {
        self.spans.close();
        let mut waiting = 0;
        while self.spans.try_recv().is_ok() {
            waiting += 1;
        }
        waiting
    }
}
