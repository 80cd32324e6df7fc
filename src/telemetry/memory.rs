//! Bytes that wait in memory, and their bounds.

use super::series::{Gauge, metrics};

metrics! {
    /// The metrics of buffers; clones share their values.
    pub(crate) struct MemoryMetrics {
        buffered_bytes: Gauge["buffer" in BUFFERS] = "Bytes of bodies in memory";
        buffered_limit_bytes: Gauge["buffer" in BUFFERS] = "The most bytes of bodies in memory";
    }
}

/// Bodies of requests, and bodies of responses for slow clients.
const BUFFERS: [&str; 2] = ["requests", "responses"];

// === impl MemoryMetrics ===

impl MemoryMetrics {
    /// Notes the bytes in memory and the most that may be, of requests and of responses.
    pub(crate) fn hold(&self, usage: [(usize, usize); 2]) {
        for (buffer, (used, limit)) in BUFFERS.into_iter().zip(usage) {
            self.buffered_bytes.set([buffer.into()], used);
            self.buffered_limit_bytes.set([buffer.into()], limit);
        }
    }
}
