//! A limit of concurrent exchanges, with a short queue in front of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};

use super::revocable_permit::{RevocablePermit, RevocablePermits};

/// How long a request waits for a permit; a client that gets its 503 sooner also comes back sooner.
const WAIT: Duration = Duration::from_millis(800);

/// When a waiting request first preempts a response to a slow client, and how often after that.
const URGENCY: (Duration, Duration) = (Duration::from_millis(400), Duration::from_millis(100));

/// The permits of one backend for one kind of traffic.
#[derive(Debug)]
pub(super) struct Bulkhead {
    size: usize,
    permits: Arc<Semaphore>,
    waiting: AtomicUsize,
    queue: usize,
    revocable: RevocablePermits,
}

/// Allows one exchange; released when dropped.
#[derive(Debug)]
pub(super) struct Permit {
    _permit: OwnedSemaphorePermit,
}

/// Counts one request as waiting until dropped.
struct Waiting<'a>(&'a AtomicUsize);

// === impl Bulkhead ===

impl Bulkhead {
    /// Takes the number of permits and of requests that may wait for one.
    pub(super) fn new(permits: usize, queue: usize) -> Self {
        let permits = permits.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            size: permits,
            permits: Arc::new(Semaphore::new(permits)),
            waiting: AtomicUsize::new(0),
            queue,
            revocable: RevocablePermits::default(),
        }
    }

    /// The same permits with every holder and waiter, or new ones if there are to be more or fewer.
    pub(super) fn renewed(self: &Arc<Self>, permits: usize, queue: usize) -> Arc<Self> {
        if (permits, queue) == (self.size, self.queue) {
            return Arc::clone(self);
        }
        Arc::new(Self::new(permits, queue))
    }

    /// Makes a permit revocable for the rest of a response.
    pub(super) fn revocable(&self, permit: Permit, body: reqwest::Body) -> RevocablePermit {
        self.revocable.add(permit, body)
    }

    #[cfg(test)]
    pub(super) const fn revocable_permits(&self) -> &RevocablePermits {
        &self.revocable
    }

    /// A permit, at once or after a short wait; none when the queue is full or the wait too long.
    pub(super) async fn acquire(&self) -> Option<Permit> {
        if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
            return Some(Permit { _permit: permit });
        }
        let _waiting = Waiting::begin(&self.waiting, self.queue)?;
        let started = Instant::now();
        let permit = Arc::clone(&self.permits).acquire_owned();
        tokio::pin!(permit);
        let mut pause = URGENCY.0;
        while started.elapsed() < WAIT {
            if let Ok(permit) = timeout(pause, permit.as_mut()).await {
                return permit.ok().map(|permit| Permit { _permit: permit });
            }
            self.revocable.preempt();
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
    async fn a_free_permit_is_acquired_at_once() {
        let bulkhead = Bulkhead::new(1, 4);
        let started = tokio::time::Instant::now();
        assert!(bulkhead.acquire().await.is_some());
        assert!(started.elapsed().is_zero());
    }

    #[tokio::test(start_paused = true)]
    async fn a_waiting_request_gives_up_after_a_short_wait() {
        let bulkhead = Bulkhead::new(1, 4);
        let _held = bulkhead.acquire().await.unwrap();
        let started = tokio::time::Instant::now();
        assert!(bulkhead.acquire().await.is_none());
        assert_eq!(started.elapsed(), WAIT);
    }

    #[tokio::test(start_paused = true)]
    async fn a_waiting_request_gets_the_next_free_permit() {
        let bulkhead = Bulkhead::new(1, 4);
        let held = bulkhead.acquire().await.unwrap();
        let (next, ()) = tokio::join!(bulkhead.acquire(), async { drop(held) });
        assert!(next.is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_queue_turns_away_without_a_wait() {
        let bulkhead = Arc::new(Bulkhead::new(1, 4));
        let _held = bulkhead.acquire().await.unwrap();
        let waiters: Vec<_> = (0..4)
            .map(|_| {
                let bulkhead = Arc::clone(&bulkhead);
                tokio::spawn(async move { bulkhead.acquire().await.is_some() })
            })
            .collect();
        tokio::task::yield_now().await;
        let started = tokio::time::Instant::now();
        assert!(bulkhead.acquire().await.is_none());
        assert!(started.elapsed().is_zero());
        for waiter in waiters {
            assert!(!waiter.await.unwrap());
        }
    }
}
