//! Accepting connections on a listener and bringing them to an end.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use http::Request;
use hyper::body::Incoming;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::Service;

use super::connection::Protocol;
use super::listener::Listener;
use super::peer::Peer;
use super::stream::Socket;
use crate::answer::Answer;

/// The first and the longest pause after a failed accept: descriptors come back when connections end.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(1));

/// Room for connections, shared by the listeners of one edge.
#[derive(Debug, Clone)]
pub(crate) struct Slots(Arc<Semaphore>);

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
    /// Limits and clocks.
    pub(crate) protocol: Protocol,
    /// Answers the requests.
    pub(crate) service: S,
    /// Room for connections.
    pub(crate) slots: Slots,
    /// The end.
    pub(crate) drain: Drain,
}

// === impl Slots ===

impl Slots {
    pub(crate) fn new(connections: usize) -> Self {
        Self(Arc::new(Semaphore::new(connections.min(Semaphore::MAX_PERMITS))))
    }

    async fn take(&self) -> OwnedSemaphorePermit {
        Arc::clone(&self.0)
            .acquire_owned()
            .await
            .expect("the semaphore is never closed")
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
    pub(super) async fn begun(&self) {
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
                    Ok((socket, peer)) => {
                        pause = BACKOFF.0;
                        self.start(socket, peer, slot);
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

    fn start(&self, socket: Socket, peer: Peer, slot: OwnedSemaphorePermit) {
        let Self {
            protocol,
            service,
            drain,
            ..
        } = self.clone();
        self.drain.spawn(async move {
            protocol.serve(socket, peer, service, drain).await;
            drop(slot);
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
