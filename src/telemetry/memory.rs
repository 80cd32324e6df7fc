//! Bytes that wait in memory, and their bounds.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};

/// The metrics of buffers; clones share their values.
#[derive(Debug, Clone)]
pub(crate) struct MemoryMetrics {
    used: Family<BufferLabels, Gauge>,
    limit: Family<BufferLabels, Gauge>,
}

/// What is buffered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BufferKind {
    /// Bodies of requests.
    Requests,
    /// Bodies of responses for slow clients.
    Responses,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct BufferLabels {
    buffer: &'static str,
}

// === impl BufferKind ===

impl BufferKind {
    const fn labels(self) -> BufferLabels {
        BufferLabels {
            buffer: match self {
                Self::Requests => "requests",
                Self::Responses => "responses",
            },
        }
    }
}

// === impl MemoryMetrics ===

impl Default for MemoryMetrics {
    fn default() -> Self {
        let this = Self {
            used: Family::default(),
            limit: Family::default(),
        };
        this.hold(BufferKind::Requests, 0, 0);
        this.hold(BufferKind::Responses, 0, 0);
        this
    }
}

impl MemoryMetrics {
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register_with_unit(
            "buffered",
            "Bytes of bodies in memory",
            Unit::Bytes,
            self.used.clone(),
        );
        registry.register_with_unit(
            "buffered_limit",
            "The most bytes of bodies in memory",
            Unit::Bytes,
            self.limit.clone(),
        );
    }

    /// Notes the bytes in memory and the most that may be.
    pub(crate) fn hold(&self, buffered: BufferKind, used: usize, limit: usize) {
        let number = |bytes| i64::try_from(bytes).unwrap_or(i64::MAX);
        let labels = buffered.labels();
        self.used.get_or_create(&labels).set(number(used));
        self.limit.get_or_create(&labels).set(number(limit));
    }
}
