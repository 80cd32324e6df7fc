//! Permits, and the requests that wait for them: the core's line says who is next, this wakes them.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio::time::Instant;

use calendar_edge_core::limits::queue::{LineBounds, Rank, Shed, Ticket, WaitingLine};

/// A number of permits with a queue in front of them.
///
/// A permit goes from one request to the next under one lock, so there is never a free permit while a request waits.
#[derive(Debug)]
pub(super) struct PermitQueue {
    state: Mutex<QueueState>,
    start: Instant,
}

#[derive(Debug)]
struct QueueState {
    free: usize,
    /// Number of permits that came free since the start.
    freed: u64,
    line: WaitingLine,
    waiting: HashMap<Ticket, oneshot::Sender<CalledUp>>,
}

/// One permit, given back when dropped.
#[derive(Debug)]
pub(super) struct Slot(Arc<PermitQueue>);

/// The answer to a request for a permit.
#[derive(Debug)]
pub(super) enum Entered {
    /// A permit was free.
    Served(Slot),
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
    turn: oneshot::Receiver<CalledUp>,
}

/// What a waiting request is told.
#[derive(Debug, Clone, Copy)]
enum CalledUp {
    /// It holds a permit.
    Granted,
    /// It has lost its place.
    Displaced,
}

// === impl PermitQueue ===

impl PermitQueue {
    /// A queue before at least one permit.
    pub(super) fn new(permits: usize, bounds: LineBounds) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(QueueState {
                free: permits.max(1),
                freed: 0,
                line: WaitingLine::new(bounds),
                waiting: HashMap::new(),
            }),
            start: Instant::now(),
        })
    }

    /// A free permit, or a place in the queue.
    pub(super) fn enter(self: &Arc<Self>, rank: Rank) -> Entered {
        let mut state = self.state.lock();
        if state.free > 0 {
            state.free -= 1;
            return Entered::Served(Slot(Arc::clone(self)));
        }
        let place = match state.line.enter(rank, self.now()) {
            Ok(place) => place,
            Err(shed) => return Entered::Refused(shed),
        };
        if let Some(displaced) = place.displaced.and_then(|ticket| state.waiting.remove(&ticket)) {
            // It may have left meanwhile.
            let _ = displaced.send(CalledUp::Displaced);
        }
        let (sender, turn) = oneshot::channel();
        state.waiting.insert(place.ticket, sender);
        Entered::Waits(Waiting {
            queue: Arc::clone(self),
            ticket: place.ticket,
            turn,
        })
    }

    /// Number of requests that wait, and of permits that came free since the start.
    pub(super) fn movement(&self) -> (usize, u64) {
        let state = self.state.lock();
        (state.line.len(), state.freed)
    }

    /// Gives a permit to the next request, or keeps it.
    fn release(&self) {
        let now = self.now();
        let mut state = self.state.lock();
        state.freed += 1;
        while let Some(granted) = state.line.next(now) {
            let sender = state.waiting.remove(&granted.ticket);
            // A request that cannot be told has left, and the next one gets the permit.
            if sender.is_some_and(|sender| sender.send(CalledUp::Granted).is_ok()) {
                return;
            }
        }
        state.free += 1;
    }

    fn now(&self) -> Duration {
        self.start.elapsed()
    }
}

// === impl Slot ===

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.release();
    }
}

// === impl Waiting ===

impl Waiting {
    /// Waits for a permit.
    ///
    /// # Errors
    ///
    /// [`Shed::Displaced`] if the place was given to another request.
    pub(super) async fn turn(&mut self) -> Result<Slot, Shed> {
        match (&mut self.turn).await {
            Ok(CalledUp::Granted) => Ok(Slot(Arc::clone(&self.queue))),
            // The sender is dropped without a word only if a lock was poisoned.
            Ok(CalledUp::Displaced) | Err(_) => Err(Shed::Displaced),
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let now = self.queue.now();
        let mut state = self.queue.state.lock();
        state.line.leave(self.ticket, now);
        state.waiting.remove(&self.ticket);
        drop(state);
        // Told under that lock, if at all: a permit that nobody took is given back.
        if let Ok(CalledUp::Granted) = self.turn.try_recv() {
            self.queue.release();
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn queue(permits: usize, places: usize) -> Arc<PermitQueue> {
        let bounds = LineBounds {
            places,
            patience: Duration::from_secs(5),
        };
        PermitQueue::new(permits, bounds)
    }

    fn slot(queue: &Arc<PermitQueue>) -> Slot {
        match queue.enter(Rank::Anonymous) {
            Entered::Served(slot) => slot,
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
        let held = slot(&queue);
        let first = waiting(&queue, Rank::Anonymous);
        let mut second = waiting(&queue, Rank::Anonymous);
        drop(held);
        assert!(second.turn().now_or_never().is_none(), "the first has it");
        drop(first);
        let taken = second.turn().now_or_never().expect("the permit of the first");
        drop((taken, second));
        drop(slot(&queue));
    }

    #[tokio::test]
    async fn those_who_left_are_passed_over() {
        let queue = queue(1, 4);
        let held = slot(&queue);
        let gone = waiting(&queue, Rank::Anonymous);
        let mut next = waiting(&queue, Rank::Anonymous);
        drop(gone);
        assert_eq!(queue.movement(), (1, 0));
        drop(held);
        assert!(next.turn().now_or_never().is_some());
    }

    #[tokio::test]
    async fn a_displaced_read_is_told_at_once() {
        let queue = queue(1, 1);
        let _held = slot(&queue);
        let mut read = waiting(&queue, Rank::Anonymous);
        let _write = waiting(&queue, Rank::Protected);
        let told = read.turn().now_or_never().expect("told");
        assert_eq!(told.err(), Some(Shed::Displaced));
        drop(read);
        assert!(matches!(
            queue.enter(Rank::Protected),
            Entered::Refused(Shed::Full)
        ));
    }

    /// A request that may wait for a moment only, and holds its permit for another.
    async fn life(queue: Arc<PermitQueue>, number: u64) {
        let patience = Duration::from_micros(number * 7919 % 900);
        let ranks = [Rank::Protected, Rank::Anonymous, Rank::Anonymous];
        match queue.enter(ranks[usize::try_from(number).unwrap() % 3]) {
            Entered::Served(_slot) => tokio::time::sleep(patience).await,
            Entered::Waits(mut waiting) => {
                let _slot = tokio::time::timeout(patience, waiting.turn()).await;
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
        assert_eq!((state.free, state.line.len(), state.waiting.len()), (3, 0, 0));
    }
}
