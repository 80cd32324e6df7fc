//! Removes the body from responses to HEAD and keeps the headers.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use http::Method;
use pin_project_lite::pin_project;
use tower::{Layer, Service};

use super::arrived_request::ArrivedRequest;
use crate::server::response::{EdgeBody, EdgeResponse};

/// Removes the body from responses to HEAD.
#[derive(Debug, Clone, Copy)]
pub(super) struct HeadResponseLayer;

/// Removes the body from responses to HEAD; hyper does so for HTTP/1 only.
#[derive(Debug, Clone)]
pub(super) struct HeadResponse<S> {
    inner: S,
}

impl<S> Layer<S> for HeadResponseLayer {
    type Service = HeadResponse<S>;

    fn layer(&self, inner: S) -> Self::Service {
        HeadResponse { inner }
    }
}

impl<S, B> Service<Box<ArrivedRequest<B>>> for HeadResponse<S>
where
    S: Service<Box<ArrivedRequest<B>>, Response = EdgeResponse, Error = Infallible>,
{
    type Response = EdgeResponse;
    type Error = Infallible;
    type Future = HeadResponseFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Box<ArrivedRequest<B>>) -> Self::Future {
        HeadResponseFuture {
            bodiless: request.head.method == Method::HEAD,
            inner: self.inner.call(request),
        }
    }
}

pin_project! {
    /// Drops the body when the response is ready.
    pub(super) struct HeadResponseFuture<F> {
        #[pin]
        inner: F,
        bodiless: bool,
    }
}

impl<F> Future for HeadResponseFuture<F>
where
    F: Future<Output = Result<EdgeResponse, Infallible>>,
{
    type Output = Result<EdgeResponse, Infallible>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let bodiless = *this.bodiless;
        this.inner.poll(cx).map_ok(|mut answer| {
            if bodiless {
                *answer.body_mut() = EdgeBody::default();
            }
            answer
        })
    }
}
