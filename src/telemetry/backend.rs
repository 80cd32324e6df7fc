//! Metrics of each backend: permits, waiting requests, revoked permits, retries, and the state of its breaker.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use super::permits::{PermitMetrics, TrafficKind};
use super::queue::{QueueFamilies, QueueLabels};
use super::wall_clock::since_1970;

/// The series of one backend, all present from the start with zero; they are removed with the last clone.
#[derive(Debug, Clone)]
pub(crate) struct BackendMetrics(Arc<Series>);

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
    answered: Moment,
    failed: Moment,
}

/// Milliseconds since 1970; 0: never.
#[derive(Debug, Default)]
struct Moment(AtomicU64);

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
        let mut live = self.live.lock();
        let known = live.get(backend).and_then(Weak::upgrade);
        BackendMetrics(known.unwrap_or_else(|| {
            let series = Arc::new(Series {
                backend: backend.to_owned(),
                families: self.clone(),
                answered: Moment::default(),
                failed: Moment::default(),
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

    /// The state of the breaker: 0 closed, 1 half-open, 2 open.
    pub(crate) fn breaker_level(&self) -> i64 {
        self.0.families.breaker.get_or_create(&self.0.labels()).get()
    }

    /// Notes that the backend answered a read.
    pub(crate) fn answered(&self) {
        self.0.answered.note();
    }

    /// Notes that the backend failed to answer a read.
    pub(crate) fn failed(&self) {
        self.0.failed.note();
    }

    /// When a read was last answered, and when one last failed, since 1970.
    pub(crate) fn last_reads(&self) -> (Option<Duration>, Option<Duration>) {
        (self.0.answered.read(), self.0.failed.read())
    }

    fn retry(&self, result: &'static str) {
        let labels = self.0.retry_labels(result);
        self.0.families.retries.get_or_create(&labels).inc();
    }
}

// === impl Moment ===

impl Moment {
    fn note(&self) {
        let now = u64::try_from(since_1970().as_millis()).unwrap_or(u64::MAX);
        self.0.store(now, Ordering::Relaxed);
    }

    fn read(&self) -> Option<Duration> {
        let noted = self.0.load(Ordering::Relaxed);
        (noted > 0).then(|| Duration::from_millis(noted))
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
        let mut live = self.families.live.lock();
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
