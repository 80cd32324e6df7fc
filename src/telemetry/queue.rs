//! Metrics of the queues before permits: who was sent away and why, and the time that requests waited.

use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::{Family, MetricConstructor};
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use calendar_edge_core::limits::queue::Shed;

/// The queue of one backend for one kind of traffic.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct QueueLabels {
    pub(super) backend: String,
    pub(super) traffic: &'static str,
}

/// The series of one queue.
#[derive(Debug, Clone)]
pub(super) struct QueueMetrics {
    shed: [Counter; Shed::ALL.len()],
    seconds: Histogram,
}

/// The metrics of all queues; clones share their values.
#[derive(Debug, Clone)]
pub(super) struct QueueFamilies {
    shed: Family<ShedLabels, Counter>,
    seconds: Family<QueueLabels, Histogram, Waits>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ShedLabels {
    backend: String,
    traffic: &'static str,
    reason: &'static str,
}

/// Makes histograms of waits, of which the longest is `timeouts.origin_queue`.
#[derive(Debug, Clone, Copy)]
struct Waits;

const WAITS: [f64; 10] = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

// === impl QueueFamilies ===

impl Default for QueueFamilies {
    fn default() -> Self {
        Self {
            shed: Family::default(),
            seconds: Family::new_with_constructor(Waits),
        }
    }
}

impl MetricConstructor<Histogram> for Waits {
    fn new_metric(&self) -> Histogram {
        Histogram::new(WAITS)
    }
}

impl QueueFamilies {
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register(
            "origin_shed_requests",
            "Requests that got no permit of a backend: the queue was full, overload lasts, a write or a call with \
             credentials took the place, or the wait was too long (overdue)",
            self.shed.clone(),
        );
        registry.register_with_unit(
            "origin_queue",
            "Time that requests waited for a permit of a backend, whatever the end",
            Unit::Seconds,
            self.seconds.clone(),
        );
    }

    /// The series of a queue, which begin at zero.
    pub(super) fn of(&self, labels: &QueueLabels) -> QueueMetrics {
        QueueMetrics {
            shed: Shed::ALL.map(|reason| self.shed.get_or_create_owned(&labels.because(reason))),
            seconds: self.seconds.get_or_create_owned(labels),
        }
    }

    pub(super) fn remove(&self, labels: &QueueLabels) {
        for reason in Shed::ALL {
            self.shed.remove(&labels.because(reason));
        }
        self.seconds.remove(labels);
    }
}

// === impl QueueLabels ===

impl QueueLabels {
    fn because(&self, reason: Shed) -> ShedLabels {
        ShedLabels {
            backend: self.backend.clone(),
            traffic: self.traffic,
            reason: reason.name(),
        }
    }
}

// === impl QueueMetrics ===

impl QueueMetrics {
    /// Counts a request that got no permit.
    pub(super) fn shed(&self, reason: Shed) {
        if let Some(counter) = Shed::ALL
            .iter()
            .position(|other| *other == reason)
            .and_then(|position| self.shed.get(position))
        {
            counter.inc();
        }
    }

    /// The requests that got no permit so far.
    pub(super) fn shed_requests(&self) -> u64 {
        self.shed.iter().map(Counter::get).sum()
    }

    /// Notes how long a request waited.
    pub(super) fn waited(&self, time: Duration) {
        self.seconds.observe(time.as_secs_f64());
    }
}
