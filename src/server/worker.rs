//! Accepting connections on a listener and bringing them to an end.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use http::Request;
use hyper::body::Incoming;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::Service;

use super::connection::Protocol;
use super::crowd::Crowd;
use super::listener::{Arrival, Listener};
use super::opening::open;
use crate::answer::Answer;

/// The first and the longest pause after a failed accept: descriptors come back when connections end.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(1));

/// Room for connections, shared by the listeners of one edge.
#[derive(Debug, Clone)]
pub(crate) struct Slots(Arc<watch::Sender<Occupancy>>);

/// How many connections are open, and how many may be.
#[derive(Debug, Clone, Copy)]
struct Occupancy {
    open: usize,
    limit: usize,
}

/// The place of one connection; free again when dropped.
#[derive(Debug)]
struct Slot(Slots);

/// The two stages of an end, and the tasks that must reach it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Drain {
    begun: CancellationToken,
    over: CancellationToken,
    tasks: TaskTracker,
}

/// What every connection of one listener is served with.
#[derive(Debug, Clone)]
pub(crate) struct Worker<S> {
    /// Limits and clocks; a connection keeps those that it began with.
    pub(crate) protocol: Arc<ArcSwap<Protocol>>,
    /// Answers the requests.
    pub(crate) service: S,
    /// Room for connections.
    pub(crate) slots: Slots,
    /// Room for those of one address.
    pub(crate) crowd: Crowd,
    /// The end.
    pub(crate) drain: Drain,
}

// === impl Slots ===

impl Slots {
    pub(crate) fn new(connections: usize) -> Self {
        Self(Arc::new(watch::Sender::new(Occupancy {
            open: 0,
            limit: connections,
        })))
    }

    /// Changes the limit; connections beyond a lower one stay until they end.
    pub(crate) fn resize(&self, connections: usize) {
        self.0.send_modify(|occupancy| occupancy.limit = connections);
    }

    async fn take(&self) -> Slot {
        // Subscribed before the first try, so that no change is missed in between.
        let mut changes = self.0.subscribe();
        while !self.try_take() {
            // The sender lives as long as `self`: it cannot be closed.
            let _ = changes.changed().await;
        }
        Slot(self.clone())
    }

    fn try_take(&self) -> bool {
        self.0.send_if_modified(|occupancy| {
            let free = occupancy.open < occupancy.limit;
            occupancy.open += usize::from(free);
            free
        })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.0.send_modify(|occupancy| occupancy.open -= 1);
    }
}

// === impl Drain ===

impl Drain {
    /// Starts a task that the end waits for.
    pub(crate) fn spawn<F>(&self, task: F) -> tokio::task::JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.tasks.spawn(task)
    }

    /// Waits for the end to begin.
    pub(crate) async fn begun(&self) {
        self.begun.cancelled().await;
    }

    /// Waits for the moment when nothing may run on.
    pub(super) async fn over(&self) {
        self.over.cancelled().await;
    }

    /// Begins the end, gives tasks this long, then cuts them; says whether all ended by themselves.
    pub(crate) async fn finish(&self, grace: Duration) -> bool {
        self.begun.cancel();
        self.tasks.close();
        let finished = tokio::time::timeout(grace, self.tasks.wait()).await.is_ok();
        self.over.cancel();
        finished
    }

    /// Ends everything at once.
    pub(crate) fn cut(&self) {
        self.begun.cancel();
        self.over.cancel();
    }
}

// === impl Worker ===

impl<S> Worker<S>
where
    S: Service<Request<Incoming>, Response = Answer, Error = Infallible> + Clone + Send + Sync + 'static,
    S::Future: Send + 'static,
{
    /// Accepts until the drain begins; an accept error pauses and never ends it.
    pub(crate) async fn run(self, listener: Listener) {
        let accepting = async {
            let mut pause = BACKOFF.0;
            loop {
                let slot = self.slots.take().await;
                match listener.accept().await {
                    Ok(arrival) => {
                        pause = BACKOFF.0;
                        self.start(arrival, slot);
                    }
                    Err(error) if concerns_one_connection(&error) => {}
                    Err(error) => {
                        tracing::warn!(error = %error, "accepting a connection failed, pausing");
                        tokio::time::sleep(pause).await;
                        pause = (pause * 2).min(BACKOFF.1);
                    }
                }
            }
        };
        tokio::select! {
            () = accepting => {}
            () = self.drain.begun() => {}
        }
    }

    fn start(&self, arrival: Arrival, slot: Slot) {
        let peer = arrival.peer();
        let Some(guest) = self.crowd.enter(peer) else {
            let client = peer.address().map(tracing::field::display);
            tracing::debug!(client, "one connection too many of an address is closed");
            return;
        };
        let Self {
            protocol,
            service,
            drain,
            ..
        } = self.clone();
        let protocol = protocol.load_full();
        self.drain.spawn(async move {
            let opened = tokio::select! {
                opened = tokio::time::timeout(protocol.patience(), open(arrival)) => opened,
                () = drain.begun() => return,
            };
            match opened {
                Ok(Ok((socket, peer))) => protocol.serve(socket, peer, service, drain).await,
                Ok(Err(error)) => tracing::debug!(error = %error, "a client connection could not be opened"),
                Err(_) => tracing::debug!("a client connection was not opened in time"),
            }
            drop((slot, guest));
        });
    }
}

/// Whether the error says that a client left between its connect and our accept.
fn concerns_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionRefused
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_place_is_free_once_its_connection_is_gone() {
        let slots = Slots::new(1);
        let held = slots.take().await;
        let second = slots.take();
        tokio::pin!(second);
        assert!(futures_util::poll!(second.as_mut()).is_pending());
        drop(held);
        second.await;
    }

    #[tokio::test(start_paused = true)]
    async fn room_grows_and_shrinks_while_it_is_in_use() {
        let slots = Slots::new(1);
        let first = slots.take().await;
        let waiting = slots.take();
        tokio::pin!(waiting);
        assert!(futures_util::poll!(waiting.as_mut()).is_pending());
        slots.resize(2);
        let second = waiting.await;
        slots.resize(1);
        drop(first);
        let late = slots.take();
        tokio::pin!(late);
        assert!(
            futures_util::poll!(late.as_mut()).is_pending(),
            "one too many is open"
        );
        drop(second);
        late.await;
    }

    #[tokio::test(start_paused = true)]
    async fn an_end_waits_for_tasks_within_its_grace() {
        let drain = Drain::default();
        drain.spawn(tokio::time::sleep(Duration::from_secs(3)));
        assert!(drain.finish(Duration::from_secs(10)).await);
    }

    #[tokio::test(start_paused = true)]
    async fn an_end_cuts_what_outlives_its_grace() {
        let drain = Drain::default();
        let task = drain.spawn({
            let drain = drain.clone();
            async move { drain.over().await }
        });
        assert!(!drain.finish(Duration::from_secs(10)).await);
        task.await.unwrap();
    }
}
