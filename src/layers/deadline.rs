//! The last line of time: no request waits longer than all its phases together may take.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use http::{Request, StatusCode};
use pin_project_lite::pin_project;
use tokio::time::{Sleep, sleep};
use tower::{Layer, Service};

use crate::answer::{Answer, refused};
use crate::config::Timeouts;
use crate::problem::Refusal;

/// What queueing and judging may add to the phases that have deadlines of their own.
const SLACK: Duration = Duration::from_secs(3);

/// Puts a deadline on answers.
#[derive(Debug, Clone, Copy)]
pub(super) struct DeadlineLayer {
    limit: Duration,
}

/// Answers 504 when the inner service has no answer in time; each phase inside has a shorter deadline.
#[derive(Debug, Clone)]
pub(super) struct Deadline<S> {
    inner: S,
    limit: Duration,
}

// === impl DeadlineLayer ===

impl DeadlineLayer {
    pub(super) fn new(timeouts: &Timeouts) -> Self {
        let exchange = timeouts.origin_read.max(timeouts.origin_write);
        Self {
            limit: timeouts.client_body + exchange + SLACK,
        }
    }
}

impl<S> Layer<S> for DeadlineLayer {
    type Service = Deadline<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Deadline {
            inner,
            limit: self.limit,
        }
    }
}

// === impl Deadline ===

impl<S, B> Service<Request<B>> for Deadline<S>
where
    S: Service<Request<B>, Response = Answer, Error = Infallible>,
{
    type Response = Answer;
    type Error = Infallible;
    type Future = DeadlineFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        DeadlineFuture {
            inner: self.inner.call(request),
            clock: sleep(self.limit),
        }
    }
}

pin_project! {
    /// Whichever comes first: the answer or the deadline.
    pub(super) struct DeadlineFuture<F> {
        #[pin]
        inner: F,
        #[pin]
        clock: Sleep,
    }
}

impl<F> Future for DeadlineFuture<F>
where
    F: Future<Output = Result<Answer, Infallible>>,
{
    type Output = Result<Answer, Infallible>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        if let Poll::Ready(answer) = this.inner.poll(cx) {
            return Poll::Ready(answer);
        }
        ready!(this.clock.poll(cx));
        tracing::error!("a request ran into the last deadline");
        Poll::Ready(Ok(refused(&Refusal::edge(
            StatusCode::GATEWAY_TIMEOUT,
            "edge_timeout",
            "The request took too long.",
        ))))
    }
}

#[cfg(test)]
mod tests {
    use tower::ServiceExt;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_endless_request_ends_after_all_phases() {
        let layer = DeadlineLayer::new(&Timeouts::default());
        let service = layer.layer(tower::service_fn(|_: Request<()>| std::future::pending()));
        let started = tokio::time::Instant::now();
        let answer = service.oneshot(Request::new(())).await.unwrap();
        assert_eq!(answer.status(), StatusCode::GATEWAY_TIMEOUT);
        assert_eq!(started.elapsed(), Duration::from_secs(63));
    }
}
