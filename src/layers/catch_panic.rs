//! Limits a panic to one request: it becomes a 500.
//!
//! The layer of tower-http boxes the body of every response. Here a body is boxed once, in the service that makes it.

use std::convert::Infallible;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;
use tower::Service;

use super::arrived_request::ArrivedRequest;
use super::response::{EdgeResponse, refused};
use calendar_edge_core::errors;

/// Responds with 500 if the inner service panics.
#[derive(Debug, Clone)]
pub(super) struct CatchPanic<S> {
    pub(super) inner: S,
}

impl<S, B> Service<Box<ArrivedRequest<B>>> for CatchPanic<S>
where
    S: Service<Box<ArrivedRequest<B>>, Response = EdgeResponse, Error = Infallible>,
{
    type Response = EdgeResponse;
    type Error = Infallible;
    type Future = CatchPanicFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Box<ArrivedRequest<B>>) -> Self::Future {
        // Requests share only counters and semaphores, which stay valid after a panic.
        let called = catch_unwind(AssertUnwindSafe(|| self.inner.call(request)));
        CatchPanicFuture { inner: called.ok() }
    }
}

pin_project! {
    /// Catches a panic in each poll.
    pub(super) struct CatchPanicFuture<F> {
        #[pin]
        inner: Option<F>,
    }
}

impl<F> Future for CatchPanicFuture<F>
where
    F: Future<Output = Result<EdgeResponse, Infallible>>,
{
    type Output = Result<EdgeResponse, Infallible>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(inner) = self.project().inner.as_pin_mut() else {
            return Poll::Ready(Ok(broken()));
        };
        catch_unwind(AssertUnwindSafe(|| inner.poll(cx))).unwrap_or_else(|_| Poll::Ready(Ok(broken())))
    }
}

/// The response without the panic's text, which the panic hook has logged.
fn broken() -> EdgeResponse {
    tracing::error!("a request made the edge panic");
    refused(&errors::INTERNAL_ERROR.refusal())
}

#[cfg(test)]
mod tests {
    use http::{Request, StatusCode};
    use tower::ServiceExt;

    use super::*;

    fn request(target: &str) -> Box<ArrivedRequest<()>> {
        Box::new(ArrivedRequest::from_nowhere(
            Request::get(target).body(()).unwrap(),
        ))
    }

    #[tokio::test]
    async fn a_panic_becomes_a_500() {
        let inner = tower::service_fn(|request: Box<ArrivedRequest<()>>| async move {
            assert_ne!(request.head.uri.path(), "/bad", "a planted panic");
            Ok(EdgeResponse::unchanged(http::Response::default()))
        });
        let service = CatchPanic { inner };
        let bad = service.clone().oneshot(request("/bad"));
        assert_eq!(bad.await.unwrap().status(), StatusCode::INTERNAL_SERVER_ERROR);
        let good = service.oneshot(request("/good"));
        assert_eq!(good.await.unwrap().status(), StatusCode::OK);
    }
}
