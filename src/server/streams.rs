//! Streams of HTTP/2 whose clients do not take their answers.
//!
//! A client opens windows stream by stream, or not at all, while the socket below is never full. So each stream
//! has a patience of its own. Its task notes whose turn it is, and ends once that is lost, which resets the stream.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use pin_project_lite::pin_project;

use super::patience::Patience;

tokio::task_local! {
    /// The progress of the stream whose task is being polled.
    static CURRENT: Arc<Progress>;
}

/// Runs the streams of connections, each for as long as its client takes its answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Streams {
    longest: Duration,
    pace: u64,
}

/// How far the answer of one stream has come.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// A piece was handed over, and nobody has asked for the next one.
    waits_for_client: AtomicBool,
    /// Bytes that were taken since this was last looked at.
    taken: AtomicUsize,
}

// === impl Streams ===

impl Streams {
    /// So long a client may let an answer wait, a second of it earned by `pace` bytes.
    pub(super) const fn new(longest: Duration, pace: u64) -> Self {
        Self { longest, pace }
    }
}

impl<F> hyper::rt::Executor<F> for Streams
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, stream: F) {
        tokio::spawn(StreamTask {
            stream,
            progress: Arc::default(),
            patience: Patience::new(self.longest, self.longest, self.pace),
        });
    }
}

// === impl Progress ===

impl Progress {
    /// The progress of the stream this is called for, if it is one of HTTP/2.
    pub(super) fn current() -> Option<Arc<Self>> {
        CURRENT.try_with(Arc::clone).ok()
    }

    /// The client has taken so many bytes, and is asked for no more at the moment.
    pub(super) fn took(&self, bytes: usize) {
        self.taken.fetch_add(bytes, Ordering::Relaxed);
        self.waits_for_client.store(false, Ordering::Relaxed);
    }

    /// The client is to take what it was handed.
    pub(super) fn hands_over(&self) {
        self.waits_for_client.store(true, Ordering::Relaxed);
    }
}

pin_project! {
    /// The task of one stream.
    struct StreamTask<F> {
        #[pin]
        stream: F,
        progress: Arc<Progress>,
        patience: Patience,
    }
}

// === impl StreamTask ===

impl<F: Future<Output = ()>> Future for StreamTask<F> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.project();
        let progress = Arc::clone(this.progress);
        if CURRENT.sync_scope(progress, || this.stream.poll(cx)).is_ready() {
            return Poll::Ready(());
        }
        let taken = this.progress.taken.swap(0, Ordering::Relaxed);
        let waits = this.progress.waits_for_client.load(Ordering::Relaxed);
        if taken > 0 || !waits {
            this.patience.moved(taken);
        }
        if !waits {
            return Poll::Pending;
        }
        ready!(this.patience.poll_lost(cx));
        tracing::debug!("a stream is reset: its client does not take the answer");
        Poll::Ready(())
    }
}
