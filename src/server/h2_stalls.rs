//! Resets HTTP/2 streams whose clients do not read their responses fast enough.
//!
//! A client can withhold the flow-control window of a single stream while the socket below never fills up. So
//! each stream has its own [`MinRate`]. The stream's task tracks whether it waits for the client; when the
//! allowance is used up, the task ends, which resets the stream.

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

/// The lowest rate at which clients must read; as an executor, it runs each HTTP/2 stream for as long as its client
/// does.
#[derive(Debug, Clone, Copy)]
pub(super) struct StallWatch {
    longest: Duration,
    bytes_per_second: u64,
}

/// The progress of one stream's response.
#[derive(Debug, Default)]
pub(super) struct StreamProgress {
    /// A piece was handed to hyper, and hyper has not requested the next one.
    waits_for_client: AtomicBool,
    /// Bytes taken since the last poll of the task.
    taken: AtomicUsize,
}

// === impl StallWatch ===

impl StallWatch {
    /// `longest` is the time allowance of a stream; `bytes_per_second` bytes refill one second of it.
    pub(super) const fn new(longest: Duration, bytes_per_second: u64) -> Self {
        Self {
            longest,
            bytes_per_second,
        }
    }

    /// The allowance of a client that does not read.
    pub(super) const fn min_rate(&self) -> MinRate {
        MinRate::new(self.longest, self.longest, self.bytes_per_second)
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
            min_rate: self.min_rate(),
        });
    }
}

// === impl StreamProgress ===

impl StreamProgress {
    /// The progress of the stream that is being polled; `None` outside HTTP/2.
    pub(super) fn current() -> Option<Arc<Self>> {
        CURRENT.try_with(Arc::clone).ok()
    }

    /// Records that the client took this many bytes. The task does not wait for the client any more.
    pub(super) fn took(&self, bytes: usize) {
        self.taken.fetch_add(bytes, Ordering::Relaxed);
        self.waits_for_client.store(false, Ordering::Relaxed);
    }

    /// Records that a piece was handed over, which the client must now take.
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
        tracing::debug!("a stream is reset: its client does not read the response");
        Poll::Ready(())
    }
}

/// Guards decision 0012: these tests fail if the HTTP library no longer runs each stream in its own task.
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

    /// The progress seen by the future of a response, and the one seen by its body.
    type Seen = (Option<Arc<StreamProgress>>, Option<Arc<StreamProgress>>);

    /// A one-byte response that records the progress that it and its body see.
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

    /// The progress that `count` responses to these bytes see.
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
