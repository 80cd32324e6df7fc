//! Permits, and the requests that wait for them: the core's line chooses the next one, this wakes it.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

use crate::telemetry::{GaugeGuard, PermitMetrics};
use calendar_edge_core::limits::queue::{Rank, Shed, Ticket, WaitingLine};

/// A number of permits with a queue in front of them.
///
/// A permit goes from one request to the next under one lock, so there is never a free permit while a request waits.
#[derive(Debug)]
pub(super) struct PermitQueue {
    state: Mutex<QueueState>,
    start: Instant,
    /// Notified when a request begins to wait while none did.
    crowd: OnceLock<Arc<Notify>>,
    metrics: PermitMetrics,
}

#[derive(Debug)]
struct QueueState {
    permits: usize,
    /// Number of permits that are in use; more than there are, after their number has fallen.
    held: usize,
    /// Number of permits that came free since the start.
    freed: u64,
    line: WaitingLine,
    /// Each receives its permit; one whose sender is dropped has lost its place.
    waiting: HashMap<Ticket, oneshot::Sender<()>>,
}

/// Allows one exchange; given back when dropped.
#[derive(Debug)]
pub(super) struct Permit {
    queue: Arc<PermitQueue>,
    _counted: GaugeGuard,
}

/// The outcome of a request for a permit.
#[derive(Debug)]
pub(super) enum Entered {
    /// A permit was free.
    Served(Permit),
    /// It waits for one.
    Waits(Waiting),
    /// It may not wait.
    Refused(Shed),
}

/// A place in the queue, given up when dropped.
#[derive(Debug)]
pub(super) struct Waiting {
    queue: Arc<PermitQueue>,
    ticket: Ticket,
    turn: oneshot::Receiver<()>,
}

// === impl PermitQueue ===

impl PermitQueue {
    /// A queue before at least one permit.
    pub(super) fn new(
        permits: usize,
        places: usize,
        patience: Duration,
        metrics: PermitMetrics,
    ) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(QueueState {
                permits: permits.max(1),
                held: 0,
                freed: 0,
                line: WaitingLine::new(places, patience),
                waiting: HashMap::new(),
            }),
            start: Instant::now(),
            crowd: OnceLock::new(),
            metrics,
        })
    }

    /// A permit that counts as held while it lives.
    fn permit(self: &Arc<Self>) -> Permit {
        Permit {
            queue: Arc::clone(self),
            _counted: self.metrics.acquired(),
        }
    }

    /// A free permit, or a place in the queue.
    pub(super) fn enter(self: &Arc<Self>, rank: Rank) -> Entered {
        let mut state = self.state.lock();
        let now = self.now();
        if state.held < state.permits {
            state.held += 1;
            return Entered::Served(self.permit());
        }
        let (ticket, displaced) = match state.line.enter(rank, now) {
            Ok(place) => place,
            Err(shed) => return Entered::Refused(shed),
        };
        if let Some(displaced) = displaced {
            state.waiting.remove(&displaced);
        }
        let (sender, turn) = oneshot::channel();
        state.waiting.insert(ticket, sender);
        if state.line.len() == 1
            && let Some(crowd) = self.crowd.get()
        {
            crowd.notify_one();
        }
        Entered::Waits(Waiting {
            queue: Arc::clone(self),
            ticket,
            turn,
        })
    }

    /// Number of requests that wait, and of permits that came free since the start.
    pub(super) fn movement(&self) -> (usize, u64) {
        let state = self.state.lock();
        (state.line.len(), state.freed)
    }

    /// Notifies this from now on when a request begins to wait while none did. The first call counts.
    pub(super) fn notify(&self, crowd: &Arc<Notify>) {
        self.crowd.get_or_init(|| Arc::clone(crowd));
    }

    /// Changes the number of permits, of which there is at least one. If it falls, running exchanges end first.
    pub(super) fn resize(&self, permits: usize) {
        let mut state = self.state.lock();
        state.permits = permits.max(1);
        state.serve(self.now());
    }

    /// The number of permits, and of those in use.
    pub(super) fn permits(&self) -> (usize, usize) {
        let state = self.state.lock();
        (state.permits, state.held)
    }

    /// The number of requests with a permit, and of those that wait for one.
    pub(super) fn requests(&self) -> (usize, usize) {
        let state = self.state.lock();
        (state.held, state.line.len())
    }

    /// Gives a permit to the next request, or keeps it.
    fn release(&self) {
        let mut state = self.state.lock();
        state.freed += 1;
        state.held = state.held.saturating_sub(1);
        state.serve(self.now());
    }

    fn now(&self) -> Duration {
        self.start.elapsed()
    }
}

// === impl QueueState ===

impl QueueState {
    /// Gives free permits to waiting requests.
    fn serve(&mut self, now: Duration) {
        while self.held < self.permits
            && let Some(ticket) = self.line.next(now)
        {
            let sender = self.waiting.remove(&ticket);
            // A request that does not receive it has left, and the next one gets the permit.
            if sender.is_some_and(|sender| sender.send(()).is_ok()) {
                self.held += 1;
            }
        }
    }
}

// === impl Permit ===

impl Drop for Permit {
    fn drop(&mut self) {
        self.queue.release();
    }
}

// === impl Waiting ===

impl Waiting {
    /// Waits for a permit.
    ///
    /// # Errors
    ///
    /// [`Shed::Displaced`] if the place was given to another request.
    pub(super) async fn turn(&mut self) -> Result<Permit, Shed> {
        let granted = (&mut self.turn).await.map_err(|_| Shed::Displaced);
        granted.map(|()| self.queue.permit())
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let now = self.queue.now();
        let mut state = self.queue.state.lock();
        state.line.leave(self.ticket, now);
        state.waiting.remove(&self.ticket);
        drop(state);
        // Sent under that lock, if at all: a permit that was not taken is given back.
        if self.turn.try_recv().is_ok() {
            self.queue.release();
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;
    use crate::telemetry::{Metrics, TrafficKind};

    fn queue(permits: usize, places: usize) -> Arc<PermitQueue> {
        let metrics = Metrics::new().backends().of("test").permits(TrafficKind::Calls);
        PermitQueue::new(permits, places, Duration::from_secs(5), metrics)
    }

    fn permit(queue: &Arc<PermitQueue>) -> Permit {
        match queue.enter(Rank::Anonymous) {
            Entered::Served(permit) => permit,
            other => panic!("{other:?}"),
        }
    }

    fn waiting(queue: &Arc<PermitQueue>, rank: Rank) -> Waiting {
        match queue.enter(rank) {
            Entered::Waits(waiting) => waiting,
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn a_permit_that_was_granted_and_not_taken_goes_on() {
        let queue = queue(1, 4);
        let held = permit(&queue);
        let first = waiting(&queue, Rank::Anonymous);
        let mut second = waiting(&queue, Rank::Anonymous);
        drop(held);
        assert!(second.turn().now_or_never().is_none(), "the first has it");
        drop(first);
        let taken = second.turn().now_or_never().expect("the permit of the first");
        drop((taken, second));
        drop(permit(&queue));
    }

    #[tokio::test]
    async fn those_who_left_are_passed_over() {
        let queue = queue(1, 4);
        let held = permit(&queue);
        let gone = waiting(&queue, Rank::Anonymous);
        let mut next = waiting(&queue, Rank::Anonymous);
        drop(gone);
        assert_eq!(queue.movement(), (1, 0));
        drop(held);
        assert!(next.turn().now_or_never().is_some());
    }

    #[tokio::test]
    async fn a_displaced_read_learns_it_at_once() {
        let queue = queue(1, 1);
        let _held = permit(&queue);
        let mut read = waiting(&queue, Rank::Anonymous);
        let _write = waiting(&queue, Rank::Protected);
        let turn = read.turn().now_or_never().expect("an end");
        assert_eq!(turn.err(), Some(Shed::Displaced));
        drop(read);
        assert!(matches!(
            queue.enter(Rank::Protected),
            Entered::Refused(Shed::Full)
        ));
    }

    #[tokio::test]
    async fn more_permits_go_to_those_who_wait() {
        let queue = queue(1, 4);
        let _held = permit(&queue);
        let [mut first, mut second] = [(); 2].map(|()| waiting(&queue, Rank::Anonymous));
        queue.resize(2);
        let permit = first.turn().now_or_never().expect("its turn").expect("a permit");
        assert!(second.turn().now_or_never().is_none());
        assert_eq!(queue.permits(), (2, 2));
        drop(permit);
        assert!(second.turn().now_or_never().is_some_and(|turn| turn.is_ok()));
        assert_eq!(queue.permits(), (2, 1), "both have given theirs back");
    }

    #[tokio::test]
    async fn fewer_permits_let_running_exchanges_end() {
        let queue = queue(3, 4);
        let [first, second, third] = [(); 3].map(|()| permit(&queue));
        queue.resize(0);
        assert_eq!(queue.permits(), (1, 3));
        let mut next = waiting(&queue, Rank::Anonymous);
        drop((first, second));
        assert!(next.turn().now_or_never().is_none(), "one still runs");
        drop(third);
        assert!(next.turn().now_or_never().is_some());
    }

    #[tokio::test]
    async fn the_first_who_waits_is_reported() {
        let (queue, crowd) = (queue(1, 4), Arc::new(Notify::new()));
        queue.notify(&crowd);
        let is_reported = || crowd.notified().now_or_never().is_some();
        let held = permit(&queue);
        assert!(!is_reported(), "it waits for nothing");
        let first = waiting(&queue, Rank::Anonymous);
        assert!(is_reported());
        let second = waiting(&queue, Rank::Anonymous);
        assert!(!is_reported() && queue.requests() == (1, 2));
        drop((first, second, held));
        assert_eq!(queue.requests(), (0, 0));
    }

    /// A request that may wait for a moment only, and holds its permit for another.
    async fn life(queue: Arc<PermitQueue>, number: u64) {
        let patience = Duration::from_micros(number * 7919 % 900);
        let ranks = [Rank::Protected, Rank::Anonymous, Rank::Anonymous];
        match queue.enter(ranks[usize::try_from(number).unwrap() % 3]) {
            Entered::Served(_permit) => tokio::time::sleep(patience).await,
            Entered::Waits(mut waiting) => {
                let _permit = tokio::time::timeout(patience, waiting.turn()).await;
                tokio::task::yield_now().await;
            }
            Entered::Refused(_) => {}
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn no_permit_is_lost() {
        let queue = queue(3, 8);
        let lives: Vec<_> = (0..2000)
            .map(|number| tokio::spawn(life(Arc::clone(&queue), number)))
            .collect();
        for life in lives {
            life.await.unwrap();
        }
        let state = queue.state.lock();
        assert_eq!((state.held, state.line.len(), state.waiting.len()), (0, 0, 0));
    }
}
