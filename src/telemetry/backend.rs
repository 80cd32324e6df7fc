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
mod tests {
    use prometheus_client::encoding::text::encode;

    use super::*;

    fn render(families: &BackendFamilies) -> String {
        let mut registry = Registry::with_prefix("edge");
        families.register(&mut registry);
        let mut text = String::new();
        encode(&mut text, &registry).unwrap();
        text
    }

    #[test]
    fn every_series_begins_at_zero() {
        let families = BackendFamilies::default();
        let _backend = families.of("http://h.example");
        let text = render(&families);
        for line in [
            r#"edge_origin_permits_in_use{backend="http://h.example",traffic="calls"} 0"#,
            r#"edge_origin_permits_in_use{backend="http://h.example",traffic="site"} 0"#,
            r#"edge_origin_waiting_requests{backend="http://h.example",traffic="calls"} 0"#,
            r#"edge_origin_waiting_requests{backend="http://h.example",traffic="site"} 0"#,
            r#"edge_origin_revoked_permits_total{backend="http://h.example",traffic="calls"} 0"#,
            r#"edge_origin_shed_requests_total{backend="http://h.example",traffic="calls",reason="overload"} 0"#,
            r#"edge_origin_queue_seconds_count{backend="http://h.example",traffic="calls"} 0"#,
            r#"edge_origin_revoked_permits_total{backend="http://h.example",traffic="site"} 0"#,
            r#"edge_origin_retries_total{backend="http://h.example",result="tried"} 0"#,
            r#"edge_origin_retries_total{backend="http://h.example",result="denied"} 0"#,
            r#"edge_origin_breaker_state{backend="http://h.example"} 0"#,
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
    }

    #[test]
    fn guards_raise_gauges_while_they_live() {
        let families = BackendFamilies::default();
        let backend = families.of("b");
        let line = |value| format!(r#"edge_origin_permits_in_use{{backend="b",traffic="calls"}} {value}"#);
        let held = backend.permits(TrafficKind::Calls).acquired();
        assert!(render(&families).contains(&line(1)));
        drop(held);
        assert!(render(&families).contains(&line(0)));
    }

    #[test]
    fn series_end_with_the_last_handle_of_their_backend() {
        let families = BackendFamilies::default();
        let first = families.of("b");
        first.retried();
        let second = families.of("b");
        drop(first);
        assert!(render(&families).contains(r#"{backend="b",result="tried"} 1"#));
        drop(second);
        assert!(!render(&families).contains(r#"backend="b""#));
    }
}
