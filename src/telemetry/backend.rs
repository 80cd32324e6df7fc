//! Metrics of each backend: permits, waiting requests, revoked permits, retries, and the state of its breaker.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use prometheus_client::registry::Registry;

use super::permits::{PermitMetrics, TrafficKind};
use super::series::{Counter, Gauge, metrics};
use super::wall_clock::unix_time;
use calendar_edge_core::concerns::{Exchanges, SiteFault};
use calendar_edge_core::limits::Position;
use calendar_edge_core::limits::queue::Shed;

metrics! {
    struct BackendSeries {
        origin_breaker_state: Gauge["backend"] =
            "State of the breaker: 0 closed (reads reach the backend), 1 half-open (one is trying), 2 open (none does)";
        origin_permits_in_use: Gauge["backend", "traffic"] = "Exchanges that hold a permit of a backend";
        origin_permits_limit: Gauge["backend", "traffic"] =
            "The most exchanges that may hold a permit of a backend";
        origin_retries: Counter["backend", "result"] =
            "Reads that failed on a pooled connection: tried again, or denied by the retry budget";
        origin_revoked_permits: Counter["backend", "traffic"] =
            "Streamed responses to slow clients that were aborted because another request waited for a permit";
        origin_shed_requests: Counter["backend", "traffic", "reason"] =
            "Requests that got no permit of a backend: the queue was full, overload lasts, a write or a call with \
             credentials took the place, or the wait was too long (overdue)";
        origin_waiting_requests: Gauge["backend", "traffic"] = "Requests that wait for a permit of a backend";
        origin_waiting_requests_limit: Gauge["backend", "traffic"] =
            "The most requests that may wait for a permit of a backend";
    }
}

/// The metrics of all backends; clones share their values.
#[derive(Debug, Clone)]
pub(crate) struct BackendFamilies {
    series: BackendSeries,
    live: Arc<Mutex<HashMap<String, Weak<BackendMetrics>>>>,
}

/// The series of one backend, all present from the start with zero; they are removed with the last reference.
#[derive(Debug)]
pub(crate) struct BackendMetrics {
    backend: Arc<str>,
    families: BackendFamilies,
    calls: Mutex<Exchanges>,
    pages: Mutex<Exchanges>,
    in_circle: AtomicBool,
}

/// The way out of a circle.
pub(crate) const CIRCLE_ADVICE: &str = "give the site an address of its own, such as a second port of its web server, and \
     name it in origin.url, that of a candidate in backends.url; docs/start.md";

const TRIED: &str = "tried";
const DENIED: &str = "denied";

// === impl BackendFamilies ===

impl BackendFamilies {
    pub(super) fn new(registry: &mut Registry) -> Self {
        Self {
            series: BackendSeries::new(registry),
            live: Arc::default(),
        }
    }

    /// The series of a backend; its name comes from the settings, never from a client.
    pub(crate) fn of(&self, backend: &str) -> Arc<BackendMetrics> {
        let mut live = self.live.lock();
        let known = live.get(backend).and_then(Weak::upgrade);
        known.unwrap_or_else(|| {
            let new = Arc::new(BackendMetrics {
                backend: backend.into(),
                families: self.clone(),
                calls: Mutex::default(),
                pages: Mutex::default(),
                in_circle: AtomicBool::new(false),
            });
            new.create();
            live.insert(backend.to_owned(), Arc::downgrade(&new));
            new
        })
    }

    /// The backends in use, by name.
    pub(crate) fn in_use(&self) -> Vec<Arc<BackendMetrics>> {
        let mut found: Vec<_> = self.live.lock().values().filter_map(Weak::upgrade).collect();
        found.sort_by(|one, other| one.backend.cmp(&other.backend));
        found
    }
}

// === impl BackendMetrics ===

impl BackendMetrics {
    /// The backend's name.
    pub(crate) fn name(&self) -> &str {
        &self.backend
    }

    /// Sets the position of the breaker.
    pub(crate) fn breaker_moved(&self, position: Position) {
        self.breaker_state().set(position as i64);
    }

    /// The position of the breaker.
    pub(crate) fn breaker(&self) -> Position {
        match self.breaker_state().get() {
            0 => Position::Closed,
            1 => Position::HalfOpen,
            _ => Position::Open,
        }
    }

    /// Notes the end of a call, or of a request of the edge's own: without a fault, the response was sound.
    pub(crate) fn call_ended(&self, fault: Option<SiteFault>, took: Duration) {
        self.calls.lock().end(fault, took, unix_time());
    }

    /// Notes the end of a request for the rest of the site.
    pub(crate) fn page_ended(&self, fault: Option<SiteFault>, took: Duration) {
        self.pages.lock().end(fault, took, unix_time());
    }

    /// Notes whether the backend's address leads back to this edge, by each response. A change is logged once.
    pub(crate) fn in_circle(&self, is_in_circle: bool) {
        let known = &self.in_circle;
        if known.load(Ordering::Relaxed) == is_in_circle
            || known.swap(is_in_circle, Ordering::Relaxed) == is_in_circle
        {
            return;
        }
        let backend = self.name();
        if is_in_circle {
            tracing::error!(
                backend,
                advice = CIRCLE_ADVICE,
                "origin.url, or backends.url of a candidate, leads back to this edge"
            );
        } else {
            tracing::info!(
                backend,
                "the address of the backend leads back to this edge no more"
            );
        }
    }

    /// True if the backend's address leads back to this edge, by the last response.
    pub(crate) fn is_in_circle(&self) -> bool {
        self.in_circle.load(Ordering::Relaxed)
    }

    /// The record of calls and of the edge's own requests.
    pub(crate) fn calls(&self) -> Exchanges {
        self.calls.lock().clone()
    }

    /// The record of requests for the rest of the site.
    pub(crate) fn pages(&self) -> Exchanges {
        self.pages.lock().clone()
    }

    /// Counts a read that failed on a pooled connection: tried again, or denied by the retry budget.
    pub(crate) fn retried(&self, is_paid: bool) {
        let result = if is_paid { TRIED } else { DENIED };
        let labels = [(&self.backend).into(), result.into()];
        self.families.series.origin_retries.add(labels, 1);
    }

    fn create(&self) {
        for traffic in TrafficKind::ALL {
            drop(self.permits(traffic));
        }
        for result in [TRIED, DENIED] {
            let retries = &self.families.series.origin_retries;
            retries.expect([(&self.backend).into(), result.into()]);
        }
        drop(self.breaker_state());
    }

    /// The series of the permits for one kind of traffic.
    pub(crate) fn permits(&self, traffic: TrafficKind) -> PermitMetrics {
        let (backend, traffic, series) = (&self.backend, traffic.label(), &self.families.series);
        let labels = || [backend.into(), traffic.into()];
        PermitMetrics {
            in_use: series.origin_permits_in_use.of(labels()),
            waiting: series.origin_waiting_requests.of(labels()),
            permits_limit: series.origin_permits_limit.of(labels()),
            waiting_limit: series.origin_waiting_requests_limit.of(labels()),
            revoked: series.origin_revoked_permits.of(labels()),
            shed: Shed::ALL.map(|reason| {
                let labels = [backend.into(), traffic.into(), reason.name().into()];
                series.origin_shed_requests.of(labels)
            }),
        }
    }

    fn breaker_state(&self) -> Gauge {
        let state = &self.families.series.origin_breaker_state;
        state.of([(&self.backend).into()])
    }

    fn remove(&self) {
        let (backend, series) = (&self.backend, &self.families.series);
        for gauges in [
            &series.origin_permits_in_use,
            &series.origin_permits_limit,
            &series.origin_waiting_requests,
            &series.origin_waiting_requests_limit,
        ] {
            gauges.remove(backend);
        }
        series.origin_revoked_permits.remove(backend);
        series.origin_shed_requests.remove(backend);
        series.origin_retries.remove(backend);
        series.origin_breaker_state.remove(backend);
    }
}

impl Drop for BackendMetrics {
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
