//! Reports to the service of a connection which request is broken, and why.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use crate::telemetry::ConnectionEnd;
use calendar_edge_core::framing::{Breach, Breached};

/// The one breach of a connection, shared by its stream and its service.
#[derive(Debug, Default)]
pub(super) struct FoundBreach {
    /// Requests that the service has begun.
    begun: AtomicU64,
    /// The position of the broken request on its connection, from 0, and its fault.
    found: OnceLock<(u64, Breached)>,
    /// Frames of HTTP/2 ended the connection.
    frames: AtomicBool,
}

/// The framing verdict on one HTTP/1 request.
#[derive(Debug, Clone)]
pub(crate) struct RequestFraming {
    connection: Arc<FoundBreach>,
    request: u64,
}

// === impl FoundBreach ===

impl FoundBreach {
    /// Records a breach in the request at this position.
    pub(super) fn report(&self, request: u64, breached: Breached) {
        // A connection has at most one breach, because nothing behind it is read.
        let _ = self.found.set((request, breached));
    }

    /// Records that the connection ends because of its frames.
    pub(super) fn end_for_frames(&self) {
        self.frames.store(true, Ordering::Relaxed);
    }

    /// The end of a connection that ends because of its bytes.
    pub(super) fn end(&self) -> Option<ConnectionEnd> {
        let is_found = self.found.get().is_some() || self.frames.load(Ordering::Relaxed);
        is_found.then_some(ConnectionEnd::Framing)
    }

    /// The framing of the next request, which the service begins now.
    ///
    /// Over HTTP/1 the service begins requests one by one, in the order in which the stream passed their
    /// heads.
    pub(super) fn begin(self: &Arc<Self>) -> RequestFraming {
        RequestFraming {
            request: self.begun.fetch_add(1, Ordering::Relaxed),
            connection: Arc::clone(self),
        }
    }
}

// === impl RequestFraming ===

impl RequestFraming {
    /// The breach in the head; the service then sees a stand-in for this request.
    pub(crate) fn of_head(&self) -> Option<Breach> {
        self.at(false)
    }

    /// The breach in the body, known once the bytes before it have been read.
    pub(crate) fn of_body(&self) -> Option<Breach> {
        self.at(true)
    }

    fn at(&self, is_in_body: bool) -> Option<Breach> {
        let (request, breached) = self.connection.found.get()?;
        let is_here = *request == self.request && breached.is_in_body == is_in_body;
        is_here.then_some(breached.breach)
    }
}
