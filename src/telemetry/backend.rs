//! Metrics of each backend: permits, waiting requests, revoked permits, retries, and the state of its breaker.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Instant;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use super::queue::{QueueFamilies, QueueLabels, QueueMetrics};
use crate::queue::Shed;

/// The series of one backend, all present from the start with zero; they are removed with the last clone.
#[derive(Debug, Clone)]
pub(crate) struct BackendMetrics(Arc<Series>);

/// The series of one backend's permits for one kind of traffic.
#[derive(Debug, Clone)]
pub(crate) struct PermitMetrics {
    in_use: Gauge,
    waiting: Gauge,
    permits_limit: Gauge,
    waiting_limit: Gauge,
    revoked: Counter,
    queue: QueueMetrics,
}

/// Counts one request as waiting, and its time until dropped.
#[derive(Debug)]
pub(crate) struct WaitingGuard {
    _waiting: GaugeGuard,
    queue: QueueMetrics,
    since: Instant,
}

/// Raises a gauge by one until dropped.
#[derive(Debug)]
pub(crate) struct GaugeGuard(Gauge);

/// The kind of traffic that a permit is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TrafficKind {
    /// Calendar calls.
    Calls,
    /// The rest of the site.
    Site,
    /// Uploads to the rest of the site.
    Uploads,
    /// Connections of the rest of the site that speak another protocol.
    Upgraded,
}

/// The metrics of all backends; clones share their values.
#[derive(Debug, Clone, Default)]
pub(super) struct BackendFamilies {
    in_use: Family<PermitLabels, Gauge>,
    waiting: Family<PermitLabels, Gauge>,
    permits_limit: Family<PermitLabels, Gauge>,
    waiting_limit: Family<PermitLabels, Gauge>,
    revoked: Family<PermitLabels, Counter>,
    queues: QueueFamilies,
    retries: Family<RetryLabels, Counter>,
    breaker: Family<BackendLabels, Gauge>,
    live: Arc<Mutex<HashMap<String, Weak<Series>>>>,
}

#[derive(Debug)]
struct Series {
    backend: String,
    families: BackendFamilies,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct BackendLabels {
    backend: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct PermitLabels {
    backend: String,
    traffic: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RetryLabels {
    backend: String,
    result: &'static str,
}

const TRIED: &str = "tried";
const DENIED: &str = "denied";

// === impl BackendFamilies ===

impl BackendFamilies {
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register(
            "origin_permits_in_use",
            "Exchanges that hold a permit of a backend",
            self.in_use.clone(),
        );
        registry.register(
            "origin_waiting_requests",
            "Requests that wait for a permit of a backend",
            self.waiting.clone(),
        );
        self.queues.register(registry);
        registry.register(
            "origin_permits_limit",
            "The most exchanges that may hold a permit of a backend",
            self.permits_limit.clone(),
        );
        registry.register(
            "origin_waiting_requests_limit",
            "The most requests that may wait for a permit of a backend",
            self.waiting_limit.clone(),
        );
        registry.register(
            "origin_revoked_permits",
            "Streamed responses to slow clients that were aborted because another request waited for a permit",
            self.revoked.clone(),
        );
        registry.register(
            "origin_retries",
            "Reads that failed on a pooled connection: tried again, or denied by the retry budget",
            self.retries.clone(),
        );
        registry.register(
            "origin_breaker_state",
            "Whether reads reach the backend: 0 closed (they do), 1 half-open (one is trying), 2 open (they do not)",
            self.breaker.clone(),
        );
    }

    /// The series of a backend; its name comes from the settings, never from a client.
    pub(super) fn of(&self, backend: &str) -> BackendMetrics {
        let mut live = self.live();
        let known = live.get(backend).and_then(Weak::upgrade);
        BackendMetrics(known.unwrap_or_else(|| {
            let series = Arc::new(Series {
                backend: backend.to_owned(),
                families: self.clone(),
            });
            series.create();
            live.insert(backend.to_owned(), Arc::downgrade(&series));
            series
        }))
    }

    fn live(&self) -> MutexGuard<'_, HashMap<String, Weak<Series>>> {
        // The code under the lock does not panic between two changes.
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
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
        let labels = self.0.permit_labels(traffic);
        let families = &self.0.families;
        PermitMetrics {
            in_use: families.in_use.get_or_create_owned(&labels),
            waiting: families.waiting.get_or_create_owned(&labels),
            permits_limit: families.permits_limit.get_or_create_owned(&labels),
            waiting_limit: families.waiting_limit.get_or_create_owned(&labels),
            revoked: families.revoked.get_or_create_owned(&labels),
            queue: families.queues.of(&self.0.queue_labels(traffic)),
        }
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
        let labels = self.0.labels();
        self.0.families.breaker.get_or_create(&labels).set(level);
    }

    fn retry(&self, result: &'static str) {
        let labels = self.0.retry_labels(result);
        self.0.families.retries.get_or_create(&labels).inc();
    }
}

// === impl PermitMetrics ===

impl PermitMetrics {
    /// Notes the most permits, and the most requests that may wait for one.
    pub(crate) fn limited(&self, permits: usize, waiting: usize) {
        let number = |most| i64::try_from(most).unwrap_or(i64::MAX);
        self.permits_limit.set(number(permits));
        self.waiting_limit.set(number(waiting));
    }

    /// Counts a permit as held while the guard lives.
    pub(crate) fn acquired(&self) -> GaugeGuard {
        GaugeGuard::raise(&self.in_use)
    }

    /// Counts a request as waiting while the guard lives.
    pub(crate) fn waiting(&self) -> WaitingGuard {
        WaitingGuard {
            _waiting: GaugeGuard::raise(&self.waiting),
            queue: self.queue.clone(),
            since: Instant::now(),
        }
    }

    /// Counts a request that got no permit.
    pub(crate) fn shed(&self, reason: Shed) {
        self.queue.shed(reason);
    }

    /// Counts a revoked permit.
    pub(crate) fn revoked(&self) {
        self.revoked.inc();
    }
}

impl Drop for WaitingGuard {
    fn drop(&mut self) {
        self.queue.waited(self.since.elapsed());
    }
}

// === impl GaugeGuard ===

impl GaugeGuard {
    fn raise(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for GaugeGuard {
    fn drop(&mut self) {
        self.0.dec();
    }
}

// === impl TrafficKind ===

impl TrafficKind {
    const ALL: [Self; 4] = [Self::Calls, Self::Site, Self::Uploads, Self::Upgraded];

    const fn label(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Site => "site",
            Self::Uploads => "uploads",
            Self::Upgraded => "upgraded",
        }
    }
}

// === impl Series ===

impl Series {
    fn create(&self) {
        let families = &self.families;
        for traffic in TrafficKind::ALL {
            families.queues.of(&self.queue_labels(traffic));
        }
        for labels in TrafficKind::ALL.map(|traffic| self.permit_labels(traffic)) {
            drop(families.in_use.get_or_create(&labels));
            drop(families.waiting.get_or_create(&labels));
            drop(families.permits_limit.get_or_create(&labels));
            drop(families.waiting_limit.get_or_create(&labels));
            drop(families.revoked.get_or_create(&labels));
        }
        for labels in [TRIED, DENIED].map(|result| self.retry_labels(result)) {
            drop(families.retries.get_or_create(&labels));
        }
        drop(families.breaker.get_or_create(&self.labels()));
    }

    fn remove(&self) {
        let families = &self.families;
        for traffic in TrafficKind::ALL {
            families.queues.remove(&self.queue_labels(traffic));
        }
        for labels in TrafficKind::ALL.map(|traffic| self.permit_labels(traffic)) {
            families.in_use.remove(&labels);
            families.waiting.remove(&labels);
            families.permits_limit.remove(&labels);
            families.waiting_limit.remove(&labels);
            families.revoked.remove(&labels);
        }
        for labels in [TRIED, DENIED].map(|result| self.retry_labels(result)) {
            families.retries.remove(&labels);
        }
        families.breaker.remove(&self.labels());
    }

    fn labels(&self) -> BackendLabels {
        BackendLabels {
            backend: self.backend.clone(),
        }
    }

    fn permit_labels(&self, traffic: TrafficKind) -> PermitLabels {
        PermitLabels {
            backend: self.backend.clone(),
            traffic: traffic.label(),
        }
    }

    fn queue_labels(&self, traffic: TrafficKind) -> QueueLabels {
        QueueLabels {
            backend: self.backend.clone(),
            traffic: traffic.label(),
        }
    }

    fn retry_labels(&self, result: &'static str) -> RetryLabels {
        RetryLabels {
            backend: self.backend.clone(),
            result,
        }
    }
}

impl Drop for Series {
    fn drop(&mut self) {
        let mut live = self.families.live();
        // A backend of the same name may have been added again meanwhile; it shares the series.
        if live
            .get(&self.backend)
            .is_some_and(|series| series.strong_count() == 0)
        {
            live.remove(&self.backend);
            self.remove();
        }
    }
}

#[cfg(test)]
#[path = "backend_tests.rs"]
mod tests;
