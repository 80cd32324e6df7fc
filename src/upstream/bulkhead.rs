//! At most so many exchanges at once, and a short queue before them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};

use super::loan::{Loan, Loans};

/// How long a request waits for its turn; a client that gets its 503 sooner also comes back sooner.
const WAIT: Duration = Duration::from_millis(800);

/// After how much of its wait, and how often from then on, a request asks for the place of a slow client's answer.
const URGENCY: (Duration, Duration) = (Duration::from_millis(400), Duration::from_millis(100));

/// The places toward the origin.
#[derive(Debug)]
pub(super) struct Bulkhead {
    size: usize,
    places: Arc<Semaphore>,
    waiting: AtomicUsize,
    queue: usize,
    loans: Loans,
}

/// A place; free again when dropped.
#[derive(Debug)]
pub(super) struct Place {
    _permit: OwnedSemaphorePermit,
}

/// Counts one request as waiting until dropped.
struct Waiting<'a>(&'a AtomicUsize);

// === impl Bulkhead ===

impl Bulkhead {
    /// So many places, and so many requests that may wait for one.
    pub(super) fn new(places: usize, queue: usize) -> Self {
        let places = places.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            size: places,
            places: Arc::new(Semaphore::new(places)),
            waiting: AtomicUsize::new(0),
            queue,
            loans: Loans::default(),
        }
    }

    /// The same places with everyone who holds or awaits one, or new ones if there are to be more or fewer.
    pub(super) fn renewed(self: &Arc<Self>, places: usize, queue: usize) -> Arc<Self> {
        if (places, queue) == (self.size, self.queue) {
            return Arc::clone(self);
        }
        Arc::new(Self::new(places, queue))
    }

    /// Lends a place to the rest of an answer.
    pub(super) fn lend(&self, place: Place, body: reqwest::Body) -> Loan {
        self.loans.lend(place, body)
    }

    #[cfg(test)]
    pub(super) const fn loans(&self) -> &Loans {
        &self.loans
    }

    /// A place, at once or after a short wait; none when the queue is full or the wait too long.
    pub(super) async fn enter(&self) -> Option<Place> {
        if let Ok(permit) = Arc::clone(&self.places).try_acquire_owned() {
            return Some(Place { _permit: permit });
        }
        let _waiting = Waiting::begin(&self.waiting, self.queue)?;
        let started = Instant::now();
        let permit = Arc::clone(&self.places).acquire_owned();
        tokio::pin!(permit);
        let mut pause = URGENCY.0;
        while started.elapsed() < WAIT {
            if let Ok(permit) = timeout(pause, permit.as_mut()).await {
                return permit.ok().map(|permit| Place { _permit: permit });
            }
            self.loans.recall();
            pause = URGENCY.1;
        }
        None
    }
}

// === impl Waiting ===

impl<'a> Waiting<'a> {
    fn begin(count: &'a AtomicUsize, limit: usize) -> Option<Self> {
        let before = count.fetch_add(1, Ordering::AcqRel);
        let waiting = Self(count);
        (before < limit).then_some(waiting)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_free_place_is_taken_at_once() {
        let bulkhead = Bulkhead::new(1, 4);
        let started = tokio::time::Instant::now();
        assert!(bulkhead.enter().await.is_some());
        assert!(started.elapsed().is_zero());
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_house_is_left_after_a_short_wait() {
        let bulkhead = Bulkhead::new(1, 4);
        let _held = bulkhead.enter().await.unwrap();
        let started = tokio::time::Instant::now();
        assert!(bulkhead.enter().await.is_none());
        assert_eq!(started.elapsed(), WAIT);
    }

    #[tokio::test(start_paused = true)]
    async fn a_waiting_request_gets_the_next_free_place() {
        let bulkhead = Bulkhead::new(1, 4);
        let held = bulkhead.enter().await.unwrap();
        let (next, ()) = tokio::join!(bulkhead.enter(), async { drop(held) });
        assert!(next.is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_queue_turns_away_without_a_wait() {
        let bulkhead = Arc::new(Bulkhead::new(1, 4));
        let _held = bulkhead.enter().await.unwrap();
        let waiters: Vec<_> = (0..4)
            .map(|_| {
                let bulkhead = Arc::clone(&bulkhead);
                tokio::spawn(async move { bulkhead.enter().await.is_some() })
            })
            .collect();
        tokio::task::yield_now().await;
        let started = tokio::time::Instant::now();
        assert!(bulkhead.enter().await.is_none());
        assert!(started.elapsed().is_zero());
        for waiter in waiters {
            assert!(!waiter.await.unwrap());
        }
    }
}
