//! Permits of streamed responses, which can be revoked when other requests wait.
//!
//! A response that is too large to be buffered holds its permit until its client has read it, so a few slow clients
//! could hold all permits. That is harmless while no request waits for one. A waiting request aborts the response with
//! the longest total pause of its client. If the queue does not move, a crowd of clients that pause gives way at once.
//!
//! See decision 0010.

use std::cmp::Reverse;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, SizeHint};
use parking_lot::Mutex;
use tokio::time::Instant;

use super::failure::ExchangeFailure;
use super::permit_queue::Permit;
use super::queue_pace::{NOTABLE, tolerated};
use crate::server::bodies::PolledFrame;
use crate::telemetry::PermitMetrics;

/// Total time that a client may pause its response before the permit can be revoked.
///
/// Shorter than the wait in the queue, so that it always passes before a waiting request gives up.
const TOLERATED: Duration = Duration::from_millis(500);

/// All revocable permits of one bulkhead.
#[derive(Debug)]
pub(super) struct RevocablePermits {
    open: Mutex<Vec<Weak<Mutex<PermitState>>>>,
    metrics: PermitMetrics,
}

/// A permit with the rest of a response, which can be revoked.
#[derive(Debug)]
pub(crate) struct RevocablePermit(Arc<Mutex<PermitState>>);

#[derive(Debug)]
struct PermitState {
    /// The body and, dropped after it, the permit; none: the response has ended or was aborted.
    held: Option<(reqwest::Body, Permit)>,
    revoked: bool,
    /// The total pause of the client, up to its last request for more.
    waited: Duration,
    /// Start of the client's current pause.
    idle_since: Option<Instant>,
}

// === impl RevocablePermits ===

impl RevocablePermits {
    pub(super) fn new(metrics: PermitMetrics) -> Self {
        Self {
            open: Mutex::default(),
            metrics,
        }
    }

    /// Makes a permit revocable for the rest of a response.
    pub(super) fn add(&self, permit: Permit, body: reqwest::Body) -> RevocablePermit {
        let revocable = RevocablePermit(Arc::new(Mutex::new(PermitState {
            held: Some((body, permit)),
            revoked: false,
            waited: Duration::ZERO,
            idle_since: Some(Instant::now()),
        })));
        let mut open = self.open.lock();
        if open.len() == open.capacity() {
            // Only before the list grows: its length stays below twice the permits, at constant cost per response.
            open.retain(|revocable| revocable.strong_count() > 0);
        }
        open.push(Arc::downgrade(&revocable.0));
        revocable
    }

    /// Aborts the response with the longest total pause of its client, if that exceeds [`TOLERATED`]. Returns the
    /// number of permits that came free.
    pub(super) fn preempt(&self) -> u64 {
        let now = Instant::now();
        let overdue = |state: &PermitState| state.paused(now).filter(|waited| *waited >= TOLERATED);
        let slowest = self.held(overdue).max_by_key(|(waited, _)| *waited);
        slowest.map_or(0, |(_, slowest)| self.revoke(&slowest))
    }

    /// Aborts responses whose clients pause, the longest pauses first, if such clients hold most permits: one for each
    /// request that waits. Returns the number of permits that came free.
    pub(super) fn preempt_crowd(&self, permits: usize, waiting: usize, waited: Duration) -> u64 {
        let now = Instant::now();
        let idle = |state: &PermitState| state.idle(now).filter(|idle| *idle >= NOTABLE);
        let mut paused: Vec<_> = self.held(idle).collect();
        if paused.len() <= permits / 2 {
            return 0;
        }
        let tolerated = tolerated(permits, waiting, waited);
        paused.retain(|(idle, _)| *idle >= tolerated);
        paused.sort_unstable_by_key(|(idle, _)| Reverse(*idle));
        let slow = paused.iter().take(waiting);
        slow.map(|(_, slow)| self.revoke(slow)).sum()
    }

    /// The responses that have such a pause, with it.
    fn held(
        &self,
        pause: impl Fn(&PermitState) -> Option<Duration>,
    ) -> impl Iterator<Item = (Duration, Arc<Mutex<PermitState>>)> {
        let open = self.open.lock().clone();
        open.into_iter().filter_map(move |permit| {
            let permit = permit.upgrade()?;
            let pause = pause(&permit.lock())?;
            Some((pause, permit))
        })
    }

    /// The number of permits that came free: none, if the client reads again meanwhile.
    fn revoke(&self, permit: &Mutex<PermitState>) -> u64 {
        let held = permit.lock().revoke();
        if held.is_none() {
            return 0;
        }
        tracing::info!("a response to a slow client is aborted: another request waits for its permit");
        self.metrics.revoked();
        1
    }
}

// === impl RevocablePermit ===

impl RevocablePermit {
    /// Ends the exchange: closes the connection or returns it to the pool, and releases the permit.
    pub(super) fn release(&self) {
        let held = self.0.lock().held.take();
        drop(held);
    }
}

impl Body for RevocablePermit {
    type Data = Bytes;
    type Error = ExchangeFailure;

    /// The next frame, the end, or the failure that the permit was revoked.
    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PolledFrame<ExchangeFailure> {
        let mut state = self.0.lock();
        state.resume();
        if std::mem::take(&mut state.revoked) {
            return Poll::Ready(Some(Err(ExchangeFailure::Preempted)));
        }
        let Some((body, _)) = &mut state.held else {
            return Poll::Ready(None);
        };
        let frame = Pin::new(body).poll_frame(cx);
        if frame.is_ready() {
            state.idle_since = Some(Instant::now());
        }
        frame.map(|frame| frame.map(|frame| frame.map_err(ExchangeFailure::from_reqwest)))
    }

    fn is_end_stream(&self) -> bool {
        let state = self.0.lock();
        !state.revoked && state.held.as_ref().is_none_or(|(body, _)| body.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        let state = self.0.lock();
        let nothing = || SizeHint::with_exact(0);
        state
            .held
            .as_ref()
            .map_or_else(nothing, |(body, _)| body.size_hint())
    }
}

// === impl PermitState ===

impl PermitState {
    /// Ends the pause: the client reads again.
    fn resume(&mut self) {
        if let Some(since) = self.idle_since.take() {
            self.waited += since.elapsed();
        }
    }

    /// The present pause of the client, if its response holds a permit and does not wait for the origin, which has a
    /// deadline instead.
    fn idle(&self, now: Instant) -> Option<Duration> {
        let since = self.idle_since.filter(|_| self.held.is_some())?;
        Some(now.saturating_duration_since(since))
    }

    /// The total pause of such a client.
    fn paused(&self, now: Instant) -> Option<Duration> {
        Some(self.waited + self.idle(now)?)
    }

    /// Takes the permit, unless the client reads again meanwhile.
    fn revoke(&mut self) -> Option<(reqwest::Body, Permit)> {
        self.idle_since?;
        let held = self.held.take();
        self.revoked = held.is_some();
        held
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use futures_util::future::join_all;
    use http_body::Frame;
    use http_body_util::{BodyExt, Full};

    use super::*;
    use crate::backend::bulkhead::Bulkhead;
    use crate::backend::bulkhead::tests::{READ, bulkhead};
    use crate::backend::origin_body::OriginBody;

    /// A body whose origin sends nothing.
    struct Hanging;

    impl Body for Hanging {
        type Data = Bytes;
        type Error = std::convert::Infallible;

        fn poll_frame(
            self: Pin<&mut Self>,
            _cx: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
            Poll::Pending
        }
    }

    async fn response(bulkhead: &Bulkhead, body: impl Into<reqwest::Body>) -> OriginBody {
        let permit = bulkhead.acquire(READ).await.expect("a free permit");
        OriginBody::new(
            bulkhead.revocable(permit, body.into()),
            Duration::from_secs(12),
            100,
        )
    }

    async fn pass(time: Duration) {
        tokio::time::sleep(time).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_waiting_request_gets_the_permit_of_the_slowest_client() {
        let bulkhead = bulkhead(2, 4);
        let mut slowest = response(&bulkhead, "a").await;
        pass(Duration::from_millis(1)).await;
        let slow = response(&bulkhead, "b").await;
        pass(TOLERATED).await;

        assert!(bulkhead.acquire(READ).await.is_some());

        let cut = slowest.frame().await.expect("no clean end");
        assert!(matches!(cut, Err(ExchangeFailure::Preempted)));
        assert!(slowest.frame().await.is_none());
        assert_eq!(slow.collect().await.expect("a whole response").to_bytes(), "b");
    }

    #[tokio::test(start_paused = true)]
    async fn a_crowd_gives_way_within_a_second_however_large_it_is() {
        for crowd in [20, 60, 200, 256] {
            let bulkhead = bulkhead(8, 256);
            let readers = (0..crowd).map(|_| async {
                let paused = response(&bulkhead, "a").await;
                std::future::pending::<()>().await;
                drop(paused);
            });
            let last = async {
                tokio::task::yield_now().await;
                let started = Instant::now();
                assert!(bulkhead.acquire(READ).await.is_some(), "{crowd}");
                started.elapsed()
            };
            tokio::select! {
                biased;
                _ = join_all(readers) => unreachable!("they read nothing"),
                waited = last => assert!(waited < Duration::from_secs(1), "{crowd}: {waited:?}"),
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_few_slow_clients_are_no_crowd() {
        let bulkhead = bulkhead(4, 8);
        let slow = [response(&bulkhead, "a").await, response(&bulkhead, "b").await];
        pass(TOLERATED / 2).await;
        bulkhead.revocable_permits().preempt_crowd(4, 8, TOLERATED);
        for slow in slow {
            assert!(slow.collect().await.is_ok());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn pauses_add_up() {
        let bulkhead = bulkhead(1, 4);
        let mut body = response(&bulkhead, "a").await;
        pass(TOLERATED / 2).await;
        assert!(body.frame().await.is_some_and(|frame| frame.is_ok()));
        pass(TOLERATED / 2).await;
        bulkhead.revocable_permits().preempt();
        assert!(
            bulkhead
                .acquire(READ)
                .now_or_never()
                .is_some_and(|permit| permit.is_some())
        );
    }

    #[tokio::test(start_paused = true)]
    async fn other_responses_keep_their_permits() {
        let bulkhead = bulkhead(3, 4);
        let mut hanging = response(&bulkhead, reqwest::Body::wrap(Hanging)).await;
        pass(TOLERATED).await;
        assert!(hanging.frame().now_or_never().is_none());
        let quick = response(&bulkhead, "a").await;
        let empty = response(&bulkhead, reqwest::Body::wrap(Full::new(Bytes::new()))).await;
        bulkhead.revocable_permits().preempt();
        assert!(
            bulkhead.acquire(READ).now_or_never().is_none(),
            "all permits are held"
        );
        assert_eq!(quick.collect().await.expect("a whole response").to_bytes(), "a");
        assert!(empty.is_end_stream());
    }

    #[tokio::test(start_paused = true)]
    async fn ended_responses_are_forgotten() {
        let bulkhead = bulkhead(1, 0);
        for _ in 0..100 {
            drop(response(&bulkhead, "a").await);
        }
        assert!(bulkhead.revocable_permits().open.lock().len() < 10);
    }
}
