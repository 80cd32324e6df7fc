//! A limit of concurrent exchanges, with a bounded queue in front of it.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, Notify};
use tokio::time::{Instant, sleep};

use super::permit_queue::{Entered, Permit, PermitQueue, Waiting};
use super::queue_pace::QueuePace;
use super::queue_watch::QueueWatch;
use super::revocable_permit::{RevocablePermit, RevocablePermits};
use crate::server::bodies::BodyBudget;
use crate::telemetry::PermitMetrics;
use calendar_edge_core::limits::queue::{Rank, Shed};
use calendar_edge_core::settings::{OriginSettings, Timeouts};

/// Maximum wait for a permit of the rest of the site. A shorter one would only bring the client back sooner after its
/// 503, a longer one would let pages pile up behind files.
const SITE_WAIT: Duration = Duration::from_millis(800);

/// Wait of a request before one slow client gives way to it, and the interval after that.
const URGENCY: (Duration, Duration) = (Duration::from_millis(400), Duration::from_millis(100));

/// Interval at which a crowd of slow readers is looked for while requests wait.
const WATCH: Duration = Duration::from_millis(10);

/// Maximum number of concurrent exchanges, and of requests that wait for a permit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Capacity {
    pub(super) permits: usize,
    pub(super) waiting: usize,
    /// The longest wait.
    pub(super) patience: Duration,
}

/// A request for a permit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wish<'a> {
    pub(super) rank: Rank,
    /// The longest wait, within that of the capacity.
    pub(super) patience: Duration,
    /// The link to the caller.
    pub(super) watch: Option<&'a QueueWatch>,
}

/// The permits of one backend for one kind of traffic.
#[derive(Debug)]
pub(crate) struct Bulkhead {
    /// The name of the backend in metrics.
    pub(crate) name: Arc<str>,
    pub(super) capacity: Capacity,
    queue: Arc<PermitQueue>,
    revocable: RevocablePermits,
    /// The uploads that hold permits, of which slow ones give way as well; they stay in no memory.
    pub(super) uploads: BodyBudget,
    /// Held by the waiting request that makes slow clients give way.
    watcher: Mutex<QueuePace>,
    metrics: PermitMetrics,
}

// === impl Capacity ===

impl Capacity {
    /// The capacity for calendar calls.
    pub(super) fn of_calls(origin: &OriginSettings, timeouts: &Timeouts) -> Self {
        Self {
            permits: origin.max_in_flight,
            waiting: origin.max_pending(),
            patience: timeouts.origin_queue,
        }
    }

    /// The capacity for the rest of the site.
    pub(super) fn of_site(origin: &OriginSettings) -> Self {
        Self {
            permits: origin.site_in_flight(),
            waiting: origin.waiting_site(),
            patience: SITE_WAIT,
        }
    }

    /// The capacity for the pages that robots share. Robots can wait.
    pub(super) fn of_robots(origin: &OriginSettings, timeouts: &Timeouts) -> Self {
        Self {
            permits: origin.robots_in_flight(),
            waiting: origin.max_pending(),
            patience: timeouts.origin_queue,
        }
    }
}

// === impl Wish ===

impl Wish<'_> {
    /// The wish of a request for the rest of the site. The edge does not know what such a request is worth.
    pub(super) const SITE: Wish<'static> = Wish {
        rank: Rank::Protected,
        patience: Duration::MAX,
        watch: None,
    };

    async fn given_up(&self) {
        match self.watch {
            Some(watch) => watch.given_up().await,
            None => std::future::pending().await,
        }
    }
}

/// Maximum number of exchanges with one origin at once: calls, pages of the rest of the site, those of robots, and
/// uploads.
pub(super) fn most_exchanges(origin: &OriginSettings) -> usize {
    let site = Capacity::of_site(origin).permits;
    let calls = origin.max_in_flight.saturating_add(origin.robots_in_flight());
    calls.saturating_add(site.saturating_mul(2))
}

// === impl Bulkhead ===

impl Bulkhead {
    /// A bulkhead with at least one permit, of a backend that metrics call by this name.
    pub(super) fn new(name: &str, capacity: Capacity, metrics: PermitMetrics) -> Self {
        let (permits, waiting) = (capacity.permits, capacity.waiting);
        metrics.limited(permits.max(1), waiting);
        Self {
            name: name.into(),
            capacity,
            queue: PermitQueue::new(permits, waiting, capacity.patience, metrics.clone()),
            revocable: RevocablePermits::new(metrics.clone()),
            uploads: BodyBudget::new(usize::MAX),
            watcher: Mutex::new(QueuePace::new()),
            metrics,
        }
    }

    /// The number of permits of all edges together.
    pub(crate) fn total(&self) -> usize {
        self.capacity.permits.max(1)
    }

    /// Gives this edge so many of them. If their number falls, running exchanges end first.
    pub(crate) fn resize(&self, permits: usize) {
        let permits = permits.clamp(1, self.total());
        self.metrics.limited(permits, self.capacity.waiting);
        self.queue.resize(permits);
    }

    /// The number of requests with a permit at this edge, and of those that wait for one.
    pub(crate) fn requests(&self) -> (usize, usize) {
        self.queue.requests()
    }

    /// Notifies this from now on when a request begins to wait while none did. The first call counts.
    pub(crate) fn notify(&self, crowd: &Arc<Notify>) {
        self.queue.notify(crowd);
    }

    /// Makes a permit revocable for the rest of a response.
    pub(super) fn revocable(&self, permit: Permit, body: reqwest::Body) -> RevocablePermit {
        self.revocable.add(permit, body)
    }

    #[cfg(test)]
    pub(super) const fn revocable_permits(&self) -> &RevocablePermits {
        &self.revocable
    }

    /// A permit, at once or after a wait; none if the request may not wait, has waited for too long, or has given up.
    pub(super) async fn acquire(&self, wish: Wish<'_>) -> Option<Permit> {
        let permit = match self.queue.enter(wish.rank) {
            Entered::Served(permit) => Ok(permit),
            Entered::Refused(shed) => Err(Some(shed)),
            // Behind a pointer: most requests do not wait.
            Entered::Waits(waiting) => Box::pin(self.wait(waiting, wish)).await,
        };
        permit
            .inspect_err(|shed| {
                shed.inspect(|shed| self.metrics.shed(*shed));
            })
            .ok()
    }

    /// Waits for a permit. The error has no reason if the request has given up.
    async fn wait(&self, mut waiting: Waiting, wish: Wish<'_>) -> Result<Permit, Option<Shed>> {
        let _counted = self.metrics.waiting();
        let _sign = wish.watch.map(QueueWatch::waits);
        let patience = wish.patience.min(self.capacity.patience);
        let started = Instant::now();
        tokio::select! {
            // In this order: a permit that was granted is not given back.
            biased;
            turn = waiting.turn() => turn.map_err(Some),
            () = wish.given_up() => Err(None),
            () = sleep(patience) => Err(Some(Shed::Overdue)),
            never = self.make_way(started) => match never {},
        }
    }

    /// Makes slow clients give way to a request that waits since then. One of those that wait does it for all.
    async fn make_way(&self, started: Instant) -> Infallible {
        let mut pace = self.watcher.lock().await;
        let mut urgent = started + URGENCY.0;
        loop {
            sleep(WATCH).await;
            let now = Instant::now();
            let (waiting, freed) = self.queue.movement();
            pace.note(freed);
            if pace.is_too_slow_for(waiting) {
                let waited = now.saturating_duration_since(started);
                let permits = self.queue.permits().0;
                pace.revoked(self.revocable.preempt_crowd(permits, waiting, waited));
            }
            if now >= urgent {
                urgent = now + URGENCY.1;
                pace.revoked(self.revocable.preempt());
                self.uploads.preempt();
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::telemetry::{Metrics, TrafficKind};

    const WAIT: Duration = Duration::from_secs(5);

    /// The wish of an anonymous read.
    pub(in crate::backend) const READ: Wish<'static> = Wish {
        rank: Rank::Anonymous,
        patience: WAIT,
        watch: None,
    };

    /// A bulkhead with its own metrics.
    pub(in crate::backend) fn bulkhead(permits: usize, waiting: usize) -> Bulkhead {
        let metrics = Metrics::new().backends().of("test").permits(TrafficKind::Calls);
        let capacity = Capacity {
            permits,
            waiting,
            patience: WAIT,
        };
        Bulkhead::new("test", capacity, metrics)
    }

    #[tokio::test(start_paused = true)]
    async fn a_free_permit_is_acquired_at_once() {
        let bulkhead = bulkhead(1, 4);
        let started = tokio::time::Instant::now();
        assert!(bulkhead.acquire(READ).await.is_some());
        assert!(started.elapsed().is_zero());
    }

    #[tokio::test(start_paused = true)]
    async fn a_waiting_request_gives_up_in_time() {
        let bulkhead = bulkhead(1, 4);
        let _held = bulkhead.acquire(READ).await.unwrap();
        let started = tokio::time::Instant::now();
        assert!(bulkhead.acquire(READ).await.is_none());
        assert_eq!(started.elapsed(), WAIT);
    }

    #[tokio::test(start_paused = true)]
    async fn a_waiting_request_gets_the_next_free_permit() {
        let bulkhead = bulkhead(1, 4);
        let held = bulkhead.acquire(READ).await.unwrap();
        let (next, ()) = tokio::join!(bulkhead.acquire(READ), async { drop(held) });
        assert!(next.is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_queue_turns_away_without_a_wait() {
        let bulkhead = Arc::new(bulkhead(1, 4));
        let _held = bulkhead.acquire(READ).await.unwrap();
        let waiters: Vec<_> = (0..4)
            .map(|_| {
                let bulkhead = Arc::clone(&bulkhead);
                tokio::spawn(async move { bulkhead.acquire(READ).await.is_some() })
            })
            .collect();
        tokio::task::yield_now().await;
        let started = tokio::time::Instant::now();
        assert!(bulkhead.acquire(READ).await.is_none());
        assert!(started.elapsed().is_zero());
        for waiter in waiters {
            assert!(!waiter.await.unwrap());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_may_have_less_time_than_others() {
        let bulkhead = bulkhead(1, 4);
        let _held = bulkhead.acquire(READ).await.unwrap();
        let started = tokio::time::Instant::now();
        let patience = Duration::from_millis(50);
        assert!(bulkhead.acquire(Wish { patience, ..READ }).await.is_none());
        assert_eq!(started.elapsed(), patience);
    }

    const fn watched(watch: &QueueWatch) -> Wish<'_> {
        Wish {
            watch: Some(watch),
            ..READ
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_caller_that_gives_up_leaves_at_once() {
        let bulkhead = bulkhead(1, 1);
        let _held = bulkhead.acquire(READ).await.unwrap();
        let watch = QueueWatch::default();
        let started = tokio::time::Instant::now();
        let giving_up = async {
            watch.queued().await;
            drop(watch.give_up_on_drop());
            watch.left().await;
        };
        let (permit, ()) = tokio::join!(bulkhead.acquire(watched(&watch)), giving_up);
        assert!(permit.is_none() && started.elapsed().is_zero());
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_may_be_dropped_because_it_waits() {
        let bulkhead = bulkhead(1, 1);
        let _held = bulkhead.acquire(READ).await.unwrap();
        let watch = QueueWatch::default();
        let is_queued = tokio::select! {
            _ = bulkhead.acquire(watched(&watch)) => false,
            () = watch.queued() => true,
        };
        assert!(is_queued);
        watch.left().await;
    }
}
