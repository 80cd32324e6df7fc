//! The breaker with its clock, its log lines and its gauge.

use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;

use super::failure::ExchangeFailure;
use crate::telemetry::BackendMetrics;
use calendar_edge_core::limits::{Breaker, Health, Pass, Position};
use calendar_edge_core::settings::BreakerSettings;

/// The breaker of one backend; clones share it.
#[derive(Debug, Clone)]
pub(super) struct BreakerHandle {
    breaker: Arc<Mutex<Breaker>>,
    pub(super) settings: BreakerSettings,
    metrics: Arc<BackendMetrics>,
}

/// One read that the breaker has admitted. Dropping it without a report (its client disconnected) leaves the breaker
/// unchanged.
#[derive(Debug)]
pub(crate) struct BreakerGuard(Option<(BreakerHandle, Pass)>);

// === impl BreakerHandle ===

impl BreakerHandle {
    pub(super) fn new(settings: &BreakerSettings, metrics: Arc<BackendMetrics>) -> Self {
        metrics.breaker_moved(Position::Closed);
        Self {
            breaker: Arc::new(Mutex::new(Breaker::new(settings))),
            settings: settings.clone(),
            metrics,
        }
    }

    /// Admits a read, or fails with the time until the next probe, or by the name of what is wrong where that is known.
    pub(super) fn admit(&self) -> Result<BreakerGuard, ExchangeFailure> {
        let asked = self.change(|breaker| breaker.admit(Instant::now()));
        let pass = asked.map_err(|wait| {
            if self.metrics.is_in_circle() {
                ExchangeFailure::Circle
            } else {
                ExchangeFailure::Unavailable { wait }
            }
        })?;
        Ok(BreakerGuard(Some((self.clone(), pass))))
    }

    fn change<T>(&self, change: impl FnOnce(&mut Breaker) -> T) -> T {
        let mut breaker = self.breaker.lock();
        let before = breaker.position();
        let result = change(&mut breaker);
        let after = breaker.position();
        if before != after {
            // Under the lock, so that the gauge is set in the order of the changes.
            self.metrics.breaker_moved(after);
            log(self.metrics.name(), before, after);
        }
        result
    }
}

fn log(backend: &str, before: Position, after: Position) {
    match (before, after) {
        (Position::Closed, _) => {
            tracing::warn!(
                backend,
                "the origin is out of order: reads are refused, but for one probe at a time"
            );
        }
        (_, Position::Closed) => tracing::info!(backend, "the origin responds again: reads pass"),
        (_, Position::HalfOpen) => tracing::debug!(backend, "a read probes the origin"),
        (_, Position::Open) => tracing::debug!(backend, "the origin is still out of order"),
    }
}

// === impl BreakerGuard ===

impl BreakerGuard {
    /// The guard of a write, which the breaker neither refuses nor counts: a write may be slow while the origin is
    /// healthy, and its client cannot simply retry.
    pub(super) fn uncounted() -> Self {
        Self(None)
    }

    /// Reports the origin's health to the breaker.
    pub(crate) fn report(self, health: Health) {
        if let Some((breaker, pass)) = self.0 {
            breaker.change(|breaker| breaker.report(pass, health, Instant::now()));
        }
    }
}
