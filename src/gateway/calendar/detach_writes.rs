//! Writes that run to their end, even if their client leaves.

use std::sync::Arc;

use crate::backend::QueueWatch;
use crate::calls::{BackendResult, CalendarCall, Stage};
use crate::server::Drain;

/// Runs each write as a task of its own, which the drain waits for: a client that leaves must not leave a write half
/// done. A write that still waits for a permit ends with its client, as reads do.
#[derive(Debug)]
pub(in crate::gateway) struct DetachWrites<S> {
    inner: Arc<S>,
    drain: Drain,
}

// === impl DetachWrites ===

impl<S> DetachWrites<S> {
    pub(in crate::gateway) fn new(inner: S, drain: &Drain) -> Self {
        Self {
            inner: Arc::new(inner),
            drain: drain.clone(),
        }
    }
}

impl<S: Stage<CalendarCall, BackendResult>> Stage<CalendarCall, BackendResult> for DetachWrites<S> {
    async fn call(&self, call: CalendarCall) -> BackendResult {
        if !call.call.is_write() {
            return self.inner.call(call).await;
        }
        let watch = QueueWatch::default();
        let call = CalendarCall {
            queue: Some(watch.clone()),
            ..call
        };
        // Dropped with the client: a request that has not been sent is not half done.
        let _waiting = watch.give_up_on_drop();
        let inner = Arc::clone(&self.inner);
        let write = async move { inner.call(call).await };
        match self.drain.spawn(write).await {
            Ok(result) => result,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }
}
