//! Bytes that wait in memory, and their bounds.

use strum::VariantArray as _;

use super::series::{Gauge, metrics};

metrics! {
    /// The metrics of buffers; clones share their values.
    pub(crate) struct MemoryMetrics {
        buffered_bytes: Gauge["buffer" in BufferKind::VARIANTS] = "Bytes of bodies in memory";
        buffered_limit_bytes: Gauge["buffer" in BufferKind::VARIANTS] = "The most bytes of bodies in memory";
    }
}

/// What is buffered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub(crate) enum BufferKind {
    /// Bodies of requests.
    Requests,
    /// Bodies of responses for slow clients.
    Responses,
}

// === impl MemoryMetrics ===

impl MemoryMetrics {
    /// Notes the bytes in memory and the most that may be.
    pub(crate) fn hold(&self, buffered: BufferKind, used: usize, limit: usize) {
        self.buffered_bytes.set([buffered.into_str().into()], used);
        self.buffered_limit_bytes.set([buffered.into_str().into()], limit);
    }
}
