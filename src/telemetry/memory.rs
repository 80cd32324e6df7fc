//! Bytes that wait in memory, and their bounds.

use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use strum::VariantNames as _;

use super::series::Series;
use super::table::{BUFFERED_BYTES, BUFFERED_LIMIT_BYTES};

/// The metrics of buffers; clones share their values.
#[derive(Debug, Clone)]
pub(crate) struct MemoryMetrics {
    used: Series<Gauge, 1>,
    limit: Series<Gauge, 1>,
}

/// What is buffered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub(crate) enum BufferKind {
    /// Bodies of requests.
    Requests,
    /// Bodies of responses for slow clients.
    Responses,
}

// === impl MemoryMetrics ===

impl MemoryMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        Self {
            used: BUFFERED_BYTES.series(registry).with(BufferKind::VARIANTS),
            limit: BUFFERED_LIMIT_BYTES.series(registry).with(BufferKind::VARIANTS),
        }
    }

    /// Notes the bytes in memory and the most that may be.
    pub(crate) fn hold(&self, buffered: BufferKind, used: usize, limit: usize) {
        let number = |bytes| i64::try_from(bytes).unwrap_or(i64::MAX);
        let labels = || [buffered.into_str().into()];
        self.used.of(labels()).set(number(used));
        self.limit.of(labels()).set(number(limit));
    }
}
