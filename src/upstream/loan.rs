//! Places toward the origin that wait for slow clients, and how others get them.
//!
//! An answer that is too large to be held keeps its place until its client has taken it. A client that reads slowly
//! so keeps the origin waiting, and a few of them would keep everybody else from it. That is no harm while places
//! are free. Once somebody waits in vain, the answer that has waited longest for its client is given up.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::time::Instant;

use super::bulkhead::Place;
use super::failure::ExchangeFailure;

/// How long an answer may have waited for its client, all pauses together, until others come first.
///
/// Shorter than the wait in the queue, so that whoever waits sees it pass.
const TOLERATED: Duration = Duration::from_millis(500);

/// All answers on their way to clients that hold a place of one bulkhead.
#[derive(Debug, Default)]
pub(super) struct Loans(Mutex<Vec<Weak<Mutex<State>>>>);

/// A place with the rest of an answer, which can be recalled.
#[derive(Debug)]
pub(super) struct Loan(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    /// None: the answer has ended or was given up.
    held: Option<Held>,
    recalled: bool,
    /// How long the client has let the answer wait, up to the last time it asked for more.
    waited: Duration,
    /// Since when it is the client's turn.
    idle_since: Option<Instant>,
}

/// The body and, dropped behind it, the place.
#[derive(Debug)]
struct Held {
    body: reqwest::Body,
    _place: Place,
}

// === impl Loans ===

impl Loans {
    /// Lends a place to an answer.
    pub(super) fn lend(&self, place: Place, body: reqwest::Body) -> Loan {
        let loan = Loan(Arc::new(Mutex::new(State {
            held: Some(Held { body, _place: place }),
            recalled: false,
            waited: Duration::ZERO,
            idle_since: Some(Instant::now()),
        })));
        let mut open = lock(&self.0);
        if open.len() == open.capacity() {
            // Before it grows: that bounds it to twice the places, at a cost that does not grow with them.
            open.retain(|loan| loan.strong_count() > 0);
        }
        open.push(Arc::downgrade(&loan.0));
        loan
    }

    /// Gives up the answer that has waited longest for its client, if one has waited too long.
    pub(super) fn recall(&self) {
        let now = Instant::now();
        let open = lock(&self.0).clone();
        let loans = open.iter().filter_map(Weak::upgrade);
        let slowest = loans.max_by_key(|loan| lock(loan).overdue(now));
        if let Some(held) = slowest.and_then(|loan| lock(&loan).recall(now)) {
            tracing::info!("an answer is given up: its client is slow, and others wait for its place");
            drop(held);
        }
    }
}

// === impl Loan ===

impl Loan {
    /// The next frame, an end, or the failure that it was recalled.
    pub(super) fn poll_frame(
        &self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, ExchangeFailure>>> {
        let mut state = lock(&self.0);
        state.resume();
        if std::mem::take(&mut state.recalled) {
            return Poll::Ready(Some(Err(ExchangeFailure::Recalled)));
        }
        let Some(held) = &mut state.held else {
            return Poll::Ready(None);
        };
        let frame = Pin::new(&mut held.body).poll_frame(cx);
        if frame.is_ready() {
            state.idle_since = Some(Instant::now());
        }
        frame.map(|frame| frame.map(|frame| frame.map_err(ExchangeFailure::from_reqwest)))
    }

    /// Ends the exchange: drops the connection or gives it back, and frees the place.
    pub(super) fn end(&self) {
        let held = lock(&self.0).held.take();
        drop(held);
    }

    pub(super) fn is_end_stream(&self) -> bool {
        let state = lock(&self.0);
        !state.recalled && state.held.as_ref().is_none_or(|held| held.body.is_end_stream())
    }

    pub(super) fn size_hint(&self) -> SizeHint {
        let state = lock(&self.0);
        let nothing = || SizeHint::with_exact(0);
        state
            .held
            .as_ref()
            .map_or_else(nothing, |held| held.body.size_hint())
    }
}

// === impl State ===

impl State {
    /// The client has asked for more.
    fn resume(&mut self) {
        if let Some(since) = self.idle_since.take() {
            self.waited += since.elapsed();
        }
    }

    /// How long the answer has waited for its client, if that is too long.
    fn overdue(&self, now: Instant) -> Option<Duration> {
        // While it waits for the origin it has a deadline.
        let idle = now.saturating_duration_since(self.idle_since?);
        let waited = self.waited + idle;
        (self.held.is_some() && waited >= TOLERATED).then_some(waited)
    }

    fn recall(&mut self, now: Instant) -> Option<Held> {
        self.overdue(now)?;
        let held = self.held.take();
        self.recalled = held.is_some();
        held
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No state is left half changed by a panic.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use http_body_util::{BodyExt, Full};

    use super::*;
    use crate::upstream::bulkhead::Bulkhead;
    use crate::upstream::origin_body::OriginBody;

    /// An answer whose origin never goes on.
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

    async fn answer(bulkhead: &Bulkhead, body: impl Into<reqwest::Body>) -> OriginBody {
        let place = bulkhead.enter().await.expect("a free place");
        OriginBody::new(bulkhead.lend(place, body.into()), Duration::from_secs(12), 100)
    }

    async fn pass(time: Duration) {
        tokio::time::sleep(time).await;
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_waits_gets_the_place_of_the_slowest_client() {
        let bulkhead = Bulkhead::new(2, 4);
        let mut slowest = answer(&bulkhead, "a").await;
        pass(Duration::from_millis(1)).await;
        let slow = answer(&bulkhead, "b").await;
        pass(TOLERATED).await;

        assert!(bulkhead.enter().await.is_some());

        let cut = slowest.frame().await.expect("no clean end");
        assert!(matches!(cut, Err(ExchangeFailure::Recalled)));
        assert!(slowest.frame().await.is_none());
        assert_eq!(slow.collect().await.expect("a whole answer").to_bytes(), "b");
    }

    #[tokio::test(start_paused = true)]
    async fn pauses_add_up() {
        let bulkhead = Bulkhead::new(1, 4);
        let mut body = answer(&bulkhead, "a").await;
        pass(TOLERATED / 2).await;
        assert!(body.frame().await.is_some_and(|frame| frame.is_ok()));
        pass(TOLERATED / 2).await;
        bulkhead.loans().recall();
        assert!(
            bulkhead
                .enter()
                .now_or_never()
                .is_some_and(|place| place.is_some())
        );
    }

    #[tokio::test(start_paused = true)]
    async fn answers_that_are_no_trouble_keep_their_place() {
        let bulkhead = Bulkhead::new(3, 4);
        let mut hanging = answer(&bulkhead, reqwest::Body::wrap(Hanging)).await;
        pass(TOLERATED).await;
        assert!(hanging.frame().now_or_never().is_none());
        let quick = answer(&bulkhead, "a").await;
        let empty = answer(&bulkhead, reqwest::Body::wrap(Full::new(Bytes::new()))).await;
        bulkhead.loans().recall();
        assert!(bulkhead.enter().now_or_never().is_none(), "all places are held");
        assert_eq!(quick.collect().await.expect("a whole answer").to_bytes(), "a");
        assert!(empty.is_end_stream());
    }

    #[tokio::test(start_paused = true)]
    async fn what_ended_is_forgotten() {
        let bulkhead = Bulkhead::new(1, 0);
        for _ in 0..100 {
            drop(answer(&bulkhead, "a").await);
        }
        assert!(lock(&bulkhead.loans().0).len() < 10);
    }
}
