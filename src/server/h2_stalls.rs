//! StallWatch of HTTP/2 whose clients do not take their answers.
//!
//! A client opens windows stream by stream, or not at all, while the socket below is never full. So each stream
//! has a min_rate of its own. Its task notes whose turn it is, and ends once that is lost, which resets the stream.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use pin_project_lite::pin_project;

use super::min_rate::MinRate;

tokio::task_local! {
    /// The progress of the stream whose task is being polled.
    static CURRENT: Arc<StreamProgress>;
}

/// Runs the streams of connections, each for as long as its client takes its answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct StallWatch {
    longest: Duration,
    pace: u64,
}

/// How far the answer of one stream has come.
#[derive(Debug, Default)]
pub(super) struct StreamProgress {
    /// A piece was handed over, and nobody has asked for the next one.
    waits_for_client: AtomicBool,
    /// Bytes that were taken since this was last looked at.
    taken: AtomicUsize,
}

// === impl StallWatch ===

impl StallWatch {
    /// So long a client may let an answer wait, a second of it earned by `pace` bytes.
    pub(super) const fn new(longest: Duration, pace: u64) -> Self {
        Self { longest, pace }
    }
}

impl<F> hyper::rt::Executor<F> for StallWatch
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, stream: F) {
        tokio::spawn(StreamTask {
            stream,
            progress: Arc::default(),
            min_rate: MinRate::new(self.longest, self.longest, self.pace),
        });
    }
}

// === impl StreamProgress ===

impl StreamProgress {
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
        progress: Arc<StreamProgress>,
        min_rate: MinRate,
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
            this.min_rate.moved(taken);
        }
        if !waits {
            return Poll::Pending;
        }
        ready!(this.min_rate.poll_exceeded(cx));
        tracing::debug!("a stream is reset: its client does not take the answer");
        Poll::Ready(())
    }
}

/// The canary of decision 0012: these tests fail when the HTTP library no longer runs streams this way.
#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::Mutex;

    use bytes::Bytes;
    use futures_util::stream;
    use http::{Request, Response};
    use http_body::{Body, Frame};
    use http_body_util::StreamBody;
    use hyper::body::Incoming;
    use hyper::service::service_fn;
    use hyper_util::rt::TokioIo;
    use hyper_util::server::conn::auto;
    use tokio::io::AsyncWriteExt;

    use super::*;

    /// The preface, empty SETTINGS, and HEADERS of `GET http://x/` on streams 1 and 3 (RFC 9113, 3.4 and 6).
    const TWO_REQUESTS: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\
        \0\0\0\x04\0\0\0\0\0\
        \0\0\x06\x01\x05\0\0\0\x01\x82\x84\x86\x41\x01x\
        \0\0\x06\x01\x05\0\0\0\x03\x82\x84\x86\x41\x01x";

    /// What the future of a response sees as its stream's progress, and what its body sees.
    type Seen = (Option<Arc<StreamProgress>>, Option<Arc<StreamProgress>>);

    /// A response with one byte, which notes what it and its body see.
    #[expect(clippy::unused_async, reason = "the future is what a stream's task polls")]
    async fn respond(
        noted: Arc<Mutex<Vec<Seen>>>,
    ) -> Result<Response<impl Body<Data = Bytes, Error = Infallible>>, Infallible> {
        let in_future = StreamProgress::current();
        let mut frames = Some(Frame::data(Bytes::from_static(b"x")));
        let body = stream::poll_fn(move |_| {
            if frames.is_some() {
                let seen = (in_future.clone(), StreamProgress::current());
                noted.lock().unwrap().push(seen);
            }
            Poll::Ready(frames.take().map(Ok::<_, Infallible>))
        });
        Ok(Response::new(StreamBody::new(body)))
    }

    /// What `count` responses to these bytes see.
    async fn seen(bytes: &[u8], count: usize) -> Vec<Seen> {
        let (mut client, server) = tokio::io::duplex(64 * 1024);
        let seen = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&seen);
        let service = service_fn(move |_: Request<Incoming>| respond(Arc::clone(&noted)));
        let builder = auto::Builder::new(StallWatch::new(Duration::from_mins(1), 0));
        tokio::spawn(async move {
            let _ = builder.serve_connection(TokioIo::new(server), service).await;
        });
        client.write_all(bytes).await.unwrap();
        let all = async {
            while seen.lock().unwrap().len() < count {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), all).await.unwrap();
        let seen = seen.lock().unwrap();
        seen.clone()
    }

    #[tokio::test]
    async fn the_response_and_the_body_of_a_stream_run_in_one_task_of_their_own() {
        let seen = seen(TWO_REQUESTS, 2).await;
        let progress: Vec<&Arc<StreamProgress>> = seen
            .iter()
            .map(|(in_future, in_body)| {
                let (in_future, in_body) = (in_future.as_ref().unwrap(), in_body.as_ref().unwrap());
                assert!(Arc::ptr_eq(in_future, in_body));
                in_body
            })
            .collect();
        assert!(!Arc::ptr_eq(progress[0], progress[1]));
    }

    #[tokio::test]
    async fn responses_over_http1_have_no_progress() {
        let seen = seen(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", 1).await;
        assert!(
            seen.iter()
                .all(|(in_future, in_body)| in_future.is_none() && in_body.is_none())
        );
    }
}
