//! A limit of concurrent exchanges, with a short queue in front of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout};

use super::permit::Permit;
use super::revocable_permit::{RevocablePermit, RevocablePermits};
use crate::bodies::Uploads;
use crate::settings::OriginSettings;
use crate::telemetry::{GaugeGuard, PermitMetrics};

/// Maximum wait for a permit. A shorter one would only bring the client back sooner after its 503.
const WAIT: Duration = Duration::from_millis(800);

/// Wait before a request first preempts a response to a slow client, and the interval after that.
const URGENCY: (Duration, Duration) = (Duration::from_millis(400), Duration::from_millis(100));

/// Maximum number of concurrent exchanges, and of requests that wait for a permit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Capacity {
    pub(super) permits: usize,
    pub(super) waiting: usize,
}

/// The permits of one backend for one kind of traffic.
#[derive(Debug)]
pub(super) struct Bulkhead {
    capacity: Capacity,
    permits: Arc<Semaphore>,
    waiting: AtomicUsize,
    revocable: RevocablePermits,
    uploads: Uploads,
    metrics: PermitMetrics,
}

/// Counts one request as waiting until dropped.
struct Waiting<'a> {
    count: &'a AtomicUsize,
    _counted: GaugeGuard,
}

// === impl Capacity ===

impl Capacity {
    /// The capacity for calendar calls.
    pub(super) fn of_calls(origin: &OriginSettings) -> Self {
        Self {
            permits: origin.max_in_flight,
            waiting: origin.waiting_calls(),
        }
    }

    /// The capacity for the rest of the site.
    pub(super) fn of_site(origin: &OriginSettings) -> Self {
        Self {
            permits: origin.site_in_flight(),
            waiting: origin.waiting_site(),
        }
    }

    /// The capacity for upgraded connections, which do not wait: none ends soon.
    pub(super) const fn of_upgrades(origin: &OriginSettings) -> Self {
        Self {
            permits: origin.upgrades,
            waiting: 0,
        }
    }
}

/// Maximum number of exchanges with one origin at once: calls, pages of the rest of the site and uploads to it.
pub(super) fn most_exchanges(origin: &OriginSettings) -> usize {
    let site = Capacity::of_site(origin).permits;
    Capacity::of_calls(origin)
        .permits
        .saturating_add(site.saturating_mul(2))
}

// === impl Bulkhead ===

impl Bulkhead {
    /// A bulkhead with at least one permit.
    pub(super) fn new(capacity: Capacity, metrics: PermitMetrics) -> Self {
        let permits = capacity.permits.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            capacity,
            permits: Arc::new(Semaphore::new(permits)),
            waiting: AtomicUsize::new(0),
            revocable: RevocablePermits::new(metrics.clone()),
            uploads: Uploads::default(),
            metrics,
        }
    }

    pub(super) const fn capacity(&self) -> Capacity {
        self.capacity
    }

    /// Makes a permit revocable for the rest of a response.
    pub(super) fn revocable(&self, permit: Permit, body: reqwest::Body) -> RevocablePermit {
        self.revocable.add(permit, body)
    }

    /// The uploads that hold permits, of which slow ones give way as well.
    pub(super) const fn uploads(&self) -> &Uploads {
        &self.uploads
    }

    #[cfg(test)]
    pub(super) const fn revocable_permits(&self) -> &RevocablePermits {
        &self.revocable
    }

    /// A permit, at once or after a wait; none if the queue is full or [`WAIT`] has passed.
    pub(super) async fn acquire(&self) -> Option<Permit> {
        if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
            return Some(Permit::new(permit, &self.metrics));
        }
        let _waiting = self.wait()?;
        let started = Instant::now();
        let permit = Arc::clone(&self.permits).acquire_owned();
        tokio::pin!(permit);
        let mut pause = URGENCY.0;
        while started.elapsed() < WAIT {
            if let Ok(permit) = timeout(pause, permit.as_mut()).await {
                return permit.ok().map(|permit| Permit::new(permit, &self.metrics));
            }
            self.revocable.preempt();
            self.uploads.preempt();
            pause = URGENCY.1;
        }
        None
    }

    /// A place in the queue, unless it is full.
    fn wait(&self) -> Option<Waiting<'_>> {
        let before = self.waiting.fetch_add(1, Ordering::AcqRel);
        let waiting = Waiting {
            count: &self.waiting,
            _counted: self.metrics.waiting(),
        };
        (before < self.capacity.waiting).then_some(waiting)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.count.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::telemetry::{Metrics, TrafficKind};

    /// A bulkhead with its own metrics.
    pub(in crate::backend) fn bulkhead(permits: usize, waiting: usize) -> Bulkhead {
        let metrics = Metrics::new().backend("test").permits(TrafficKind::Calls);
        Bulkhead::new(Capacity { permits, waiting }, metrics)
    }

    #[tokio::test(start_paused = true)]
    async fn a_free_permit_is_acquired_at_once() {
        let bulkhead = bulkhead(1, 4);
        let started = tokio::time::Instant::now();
        assert!(bulkhead.acquire().await.is_some());
        assert!(started.elapsed().is_zero());
    }

    #[tokio::test(start_paused = true)]
    async fn a_waiting_request_gives_up_after_a_short_wait() {
        let bulkhead = bulkhead(1, 4);
        let _held = bulkhead.acquire().await.unwrap();
        let started = tokio::time::Instant::now();
        assert!(bulkhead.acquire().await.is_none());
        assert_eq!(started.elapsed(), WAIT);
    }

    #[tokio::test(start_paused = true)]
    async fn a_waiting_request_gets_the_next_free_permit() {
        let bulkhead = bulkhead(1, 4);
        let held = bulkhead.acquire().await.unwrap();
        let (next, ()) = tokio::join!(bulkhead.acquire(), async { drop(held) });
        assert!(next.is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_queue_turns_away_without_a_wait() {
        let bulkhead = Arc::new(bulkhead(1, 4));
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
