//! The progress of reading a client's body.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bytes::Bytes;
use http_body::Body as _;
use hyper::body::Incoming;

/// The progress of reading a body.
#[derive(Debug)]
pub(super) struct ReadProgress {
    at_end: AtomicBool,
    bytes: AtomicU64,
}

// === impl ReadProgress ===

impl ReadProgress {
    pub(super) fn of(body: &Incoming) -> Self {
        Self {
            at_end: AtomicBool::new(body.is_end_stream()),
            bytes: AtomicU64::new(0),
        }
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at_end.load(Ordering::Relaxed)
    }

    /// The body has ended.
    pub(super) fn ended(&self) {
        self.at_end.store(true, Ordering::Relaxed);
    }

    pub(super) fn read(&self, data: &Bytes) {
        let bytes = u64::try_from(data.len()).unwrap_or(u64::MAX);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// The bytes that were read.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}
