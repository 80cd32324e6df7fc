//! The breaker at work: its clock, its log lines, its gauge.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::breaker::{Breaker, Health, Pass, Position};
use super::failure::ExchangeFailure;
use crate::settings::BreakerSettings;
use crate::telemetry::Metrics;

/// Watches over the origin's health; clones share it.
#[derive(Debug, Clone)]
pub(super) struct Watch {
    breaker: Arc<Mutex<Breaker>>,
    settings: BreakerSettings,
    metrics: Metrics,
}

/// One read under watch. Dropped without a report it tells nothing: its client left.
#[derive(Debug)]
pub(crate) struct Watched(Option<(Watch, Pass)>);

// === impl Watch ===

impl Watch {
    pub(super) fn new(settings: &BreakerSettings, metrics: Metrics) -> Self {
        metrics.breaker_moved(level(Position::Closed));
        Self {
            breaker: Arc::new(Mutex::new(Breaker::new(settings))),
            settings: settings.clone(),
            metrics,
        }
    }

    /// The same under the same settings, else a new one.
    pub(super) fn renewed(&self, settings: &BreakerSettings) -> Self {
        if self.settings == *settings {
            return self.clone();
        }
        Self::new(settings, self.metrics.clone())
    }

    /// Lets a read pass, or fails with the time that reads have to wait.
    pub(super) fn admit(&self) -> Result<Watched, ExchangeFailure> {
        let asked = self.change(|breaker| breaker.ask(Instant::now()));
        let pass = asked.map_err(|wait| ExchangeFailure::Unavailable { wait })?;
        Ok(Watched(Some((self.clone(), pass))))
    }

    fn report(&self, pass: Pass, health: Health) {
        self.change(|breaker| breaker.report(pass, health, Instant::now()));
    }

    fn change<T>(&self, change: impl FnOnce(&mut Breaker) -> T) -> T {
        let mut breaker = self.lock();
        let before = breaker.position();
        let result = change(&mut breaker);
        let after = breaker.position();
        if before != after {
            // Under the lock, so that the gauge cannot be set out of order.
            self.metrics.breaker_moved(level(after));
            announce(before, after);
        }
        result
    }

    fn lock(&self) -> MutexGuard<'_, Breaker> {
        // Its methods leave no state half changed.
        self.breaker.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The gauge's number.
const fn level(position: Position) -> i64 {
    match position {
        Position::Closed => 0,
        Position::HalfOpen => 1,
        Position::Open => 2,
    }
}

fn announce(before: Position, after: Position) {
    match (before, after) {
        (Position::Closed, _) => {
            tracing::warn!("the origin is out of order: reads are refused, but for one probe at a time");
        }
        (_, Position::Closed) => tracing::info!("the origin answers again: reads pass"),
        (_, Position::HalfOpen) => tracing::debug!("a read probes the origin"),
        (_, Position::Open) => tracing::debug!("the origin is still out of order"),
    }
}

// === impl Watched ===

impl Watched {
    /// A write: the breaker neither holds it back nor hears of it, because a write may be slow for reasons of its
    /// own, and its client cannot simply try again.
    pub(super) fn not_at_all() -> Self {
        Self(None)
    }

    /// Tells how the origin did.
    pub(crate) fn saw(self, health: Health) {
        if let Some((watch, pass)) = self.0 {
            watch.report(pass, health);
        }
    }
}
