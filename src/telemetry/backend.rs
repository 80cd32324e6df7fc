//! Metrics of each backend: permits, waiting requests, revoked permits, retries, and the state of its breaker.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use super::permits::{PermitMetrics, TrafficKind, Waits};
use super::series::Series;
use super::table::{
    ORIGIN_BREAKER_STATE, ORIGIN_PERMITS_IN_USE, ORIGIN_PERMITS_LIMIT, ORIGIN_QUEUE_SECONDS, ORIGIN_RETRIES,
    ORIGIN_REVOKED_PERMITS, ORIGIN_SHED_REQUESTS, ORIGIN_WAITING_REQUESTS, ORIGIN_WAITING_REQUESTS_LIMIT,
};
use super::wall_clock::unix_time;
use calendar_edge_core::limits::queue::Shed;
use calendar_edge_core::unix_time::UnixTime;

/// The series of one backend, all present from the start with zero; they are removed with the last clone.
#[derive(Debug, Clone)]
pub(crate) struct BackendMetrics(Arc<BackendSeries>);

/// The metrics of all backends; clones share their values.
#[derive(Debug, Clone)]
pub(super) struct BackendFamilies {
    in_use: Series<Gauge, 2>,
    waiting: Series<Gauge, 2>,
    permits_limit: Series<Gauge, 2>,
    waiting_limit: Series<Gauge, 2>,
    revoked: Series<Counter, 2>,
    shed: Series<Counter, 3>,
    waits: Series<Waits, 2>,
    retries: Series<Counter, 2>,
    breaker: Series<Gauge, 1>,
    live: Arc<Mutex<HashMap<String, Weak<BackendSeries>>>>,
}

#[derive(Debug)]
struct BackendSeries {
    backend: Arc<str>,
    families: BackendFamilies,
    answered: Mutex<Option<UnixTime>>,
    failed: Mutex<Option<UnixTime>>,
}

const TRIED: &str = "tried";
const DENIED: &str = "denied";

// === impl BackendFamilies ===

impl BackendFamilies {
    pub(super) fn new(registry: &mut Registry) -> Self {
        Self {
            in_use: ORIGIN_PERMITS_IN_USE.series(registry),
            waiting: ORIGIN_WAITING_REQUESTS.series(registry),
            permits_limit: ORIGIN_PERMITS_LIMIT.series(registry),
            waiting_limit: ORIGIN_WAITING_REQUESTS_LIMIT.series(registry),
            revoked: ORIGIN_REVOKED_PERMITS.series(registry),
            shed: ORIGIN_SHED_REQUESTS.series(registry),
            waits: ORIGIN_QUEUE_SECONDS.series(registry),
            retries: ORIGIN_RETRIES.series(registry),
            breaker: ORIGIN_BREAKER_STATE.series(registry),
            live: Arc::default(),
        }
    }

    /// The series of a backend; its name comes from the settings, never from a client.
    pub(super) fn of(&self, backend: &str) -> BackendMetrics {
        let mut live = self.live.lock();
        let known = live.get(backend).and_then(Weak::upgrade);
        BackendMetrics(known.unwrap_or_else(|| {
            let series = Arc::new(BackendSeries {
                backend: backend.into(),
                families: self.clone(),
                answered: Mutex::default(),
                failed: Mutex::default(),
            });
            series.create();
            live.insert(backend.to_owned(), Arc::downgrade(&series));
            series
        }))
    }

    /// The backends in use, by name.
    pub(super) fn in_use(&self) -> Vec<BackendMetrics> {
        let mut found: Vec<_> = self.live.lock().values().filter_map(Weak::upgrade).collect();
        found.sort_by(|one, other| one.backend.cmp(&other.backend));
        found.into_iter().map(BackendMetrics).collect()
    }
}

// === impl BackendMetrics ===

impl BackendMetrics {
    /// The backend's name.
    pub(crate) fn name(&self) -> &str {
        &self.0.backend
    }

    /// The series of the permits for one kind of traffic.
    pub(crate) fn permits(&self, traffic: TrafficKind) -> PermitMetrics {
        self.0.permits(traffic)
    }

    /// Counts a retry.
    pub(crate) fn retried(&self) {
        self.retry(TRIED);
    }

    /// Counts a retry that the budget refused.
    pub(crate) fn retry_denied(&self) {
        self.retry(DENIED);
    }

    /// Sets the state of the breaker: 0 closed, 1 half-open, 2 open.
    pub(crate) fn breaker_moved(&self, level: i64) {
        self.0.breaker().set(level);
    }

    /// The state of the breaker: 0 closed, 1 half-open, 2 open.
    pub(crate) fn breaker_level(&self) -> i64 {
        self.0.breaker().get()
    }

    /// Notes that the backend answered a read.
    pub(crate) fn answered(&self) {
        *self.0.answered.lock() = Some(unix_time());
    }

    /// Notes that the backend failed to answer a read.
    pub(crate) fn failed(&self) {
        *self.0.failed.lock() = Some(unix_time());
    }

    /// When a read was last answered, and when one last failed.
    pub(crate) fn last_reads(&self) -> (Option<UnixTime>, Option<UnixTime>) {
        (*self.0.answered.lock(), *self.0.failed.lock())
    }

    fn retry(&self, result: &'static str) {
        let labels = [(&self.0.backend).into(), result.into()];
        self.0.families.retries.add(labels, 1);
    }
}

// === impl BackendSeries ===

impl BackendSeries {
    fn create(&self) {
        for traffic in TrafficKind::ALL {
            drop(self.permits(traffic));
        }
        for result in [TRIED, DENIED] {
            self.families
                .retries
                .expect([(&self.backend).into(), result.into()]);
        }
        drop(self.breaker());
    }

    fn permits(&self, traffic: TrafficKind) -> PermitMetrics {
        let (backend, traffic, families) = (&self.backend, traffic.label(), &self.families);
        let labels = || [backend.into(), traffic.into()];
        let shed = |reason: Shed| {
            families
                .shed
                .of([backend.into(), traffic.into(), reason.name().into()])
        };
        PermitMetrics {
            in_use: families.in_use.of(labels()),
            waiting: families.waiting.of(labels()),
            permits_limit: families.permits_limit.of(labels()),
            waiting_limit: families.waiting_limit.of(labels()),
            revoked: families.revoked.of(labels()),
            shed: Shed::ALL.map(shed),
            waits: families.waits.of(labels()),
        }
    }

    fn breaker(&self) -> Gauge {
        self.families.breaker.of([(&self.backend).into()])
    }

    fn remove(&self) {
        let (backend, families) = (&self.backend, &self.families);
        families.in_use.remove(backend);
        families.waiting.remove(backend);
        families.permits_limit.remove(backend);
        families.waiting_limit.remove(backend);
        families.revoked.remove(backend);
        families.shed.remove(backend);
        families.waits.remove(backend);
        families.retries.remove(backend);
        families.breaker.remove(backend);
    }
}

impl Drop for BackendSeries {
    fn drop(&mut self) {
        let mut live = self.families.live.lock();
        // A backend of the same name may have been added again meanwhile; it shares the series.
        if live
            .get(&*self.backend)
            .is_some_and(|series| series.strong_count() == 0)
        {
            live.remove(&*self.backend);
            self.remove();
        }
    }
}

#[cfg(test)]
#[path = "backend_tests.rs"]
mod tests;
