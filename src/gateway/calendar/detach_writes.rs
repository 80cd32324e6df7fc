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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use http::StatusCode;
    use tokio::time::{Instant, sleep, timeout};

    use super::*;
    use crate::calls::fake_stage::{EVENT, FakeStage, call, responded, settings};

    const SECOND: Duration = Duration::from_secs(1);

    type Below = FakeStage<CalendarCall, BackendResult>;

    /// The stage above a backend that takes a second.
    fn detaching() -> (DetachWrites<Arc<Below>>, Arc<Below>, Drain) {
        let below = FakeStage::later(|call: &CalendarCall| {
            let result = responded(call, StatusCode::OK, "{}");
            async move {
                sleep(SECOND).await;
                result
            }
        });
        let drain = Drain::default();
        (DetachWrites::new(Arc::clone(&below), &drain), below, drain)
    }

    /// The times that the backend ends a call whose client leaves early, and whether the call has a place to give up.
    async fn left(method: &str) -> (usize, Option<bool>) {
        let (stage, below, _) = detaching();
        let call = call(&settings(), method, "/events", EVENT);
        assert!(timeout(SECOND / 2, stage.call(call)).await.is_err());
        let given_up = below.each(|call| call.queue.as_ref().map(QueueWatch::is_given_up));
        sleep(SECOND).await;
        (below.ended(), given_up[0])
    }

    #[tokio::test(start_paused = true)]
    async fn a_write_outlives_its_client_and_a_read_does_not() {
        assert_eq!(
            left("POST").await,
            (1, Some(true)),
            "it leaves its place in the queue"
        );
        assert_eq!(left("GET").await, (0, None));
    }

    #[tokio::test(start_paused = true)]
    async fn the_place_in_the_queue_is_kept_while_the_client_waits() {
        let (stage, below, _) = detaching();
        let write = stage.call(call(&settings(), "POST", "/events", EVENT));
        let seen = async {
            sleep(SECOND / 2).await;
            below.each(|call| call.queue.as_ref().map(QueueWatch::is_given_up))
        };
        let (result, seen) = tokio::join!(write, seen);
        assert!(result.is_ok());
        assert_eq!(seen, [Some(false)]);
    }

    #[tokio::test(start_paused = true)]
    async fn the_drain_waits_for_a_write_whose_client_has_left() {
        let (stage, below, drain) = detaching();
        let write = stage.call(call(&settings(), "POST", "/events", EVENT));
        assert!(timeout(Duration::from_millis(1), write).await.is_err());
        let started = Instant::now();
        assert!(drain.finish(SECOND * 10).await);
        assert_eq!(below.ended(), 1);
        assert!(started.elapsed() < SECOND, "{:?}", started.elapsed());
    }
}
