//! The shell of a layer that sees a request on its way in and the response on its way out.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;
use tower::layer::layer_fn;
use tower::{Layer, Service};

use super::arrived_request::ArrivedRequest;
use super::response::EdgeResponse;

/// One concern of every request. It makes no response of its own.
pub(super) trait AroundRequest: Clone {
    /// The facts of the request on which its work at the response depends.
    type Facts;

    /// Sees a request before the layers below.
    fn request<B>(&self, request: &mut ArrivedRequest<B>) -> Self::Facts;

    /// Sees its response after them.
    fn response(facts: &mut Self::Facts, answer: &mut EdgeResponse);
}

/// A concern with the layers below it.
#[derive(Debug, Clone)]
pub(super) struct Around<C, S> {
    concern: C,
    inner: S,
}

/// The layer of a concern.
pub(super) fn around<C: AroundRequest, S>(concern: C) -> impl Layer<S, Service = Around<C, S>> {
    layer_fn(move |inner| Around {
        concern: concern.clone(),
        inner,
    })
}

impl<C, S, B> Service<Box<ArrivedRequest<B>>> for Around<C, S>
where
    C: AroundRequest,
    S: Service<Box<ArrivedRequest<B>>, Response = EdgeResponse, Error = Infallible>,
{
    type Response = EdgeResponse;
    type Error = Infallible;
    type Future = AroundFuture<C, S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Box<ArrivedRequest<B>>) -> Self::Future {
        AroundFuture {
            facts: self.concern.request(&mut request),
            inner: self.inner.call(request),
        }
    }
}

pin_project! {
    /// Shows the concern the response when it is ready.
    pub(super) struct AroundFuture<C: AroundRequest, F> {
        #[pin]
        inner: F,
        facts: C::Facts,
    }
}

impl<C, F> Future for AroundFuture<C, F>
where
    C: AroundRequest,
    F: Future<Output = Result<EdgeResponse, Infallible>>,
{
    type Output = Result<EdgeResponse, Infallible>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        // In its place: responses are large, and layers are many.
        let mut polled = this.inner.poll(cx);
        if let Poll::Ready(Ok(answer)) = &mut polled {
            C::response(this.facts, answer);
        }
        polled
    }
}
