//! A layer that lets a request pass if a check accepts its head.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::future::Either;
use tower::layer::layer_fn;
use tower::{Layer, Service};

use super::arrived_request::ArrivedRequest;
use super::response::{EdgeResponse, refused};
use calendar_edge_judge::problem::Refusal;

/// A rule about request heads.
pub(super) trait HeadCheck: Send + Sync + 'static {
    /// Notes for the layers below what it finds; or returns the refusal of the head.
    fn check<B>(&self, request: &mut ArrivedRequest<B>) -> Result<(), Refusal>;
}

/// Responds with the refusal of its check, if there is one.
#[derive(Debug)]
pub(super) struct Gate<C, S> {
    check: Arc<C>,
    inner: S,
}

/// Puts a [`HeadCheck`] before a service.
pub(super) fn gate<C, S>(check: C) -> impl Layer<S, Service = Gate<C, S>> {
    let check = Arc::new(check);
    layer_fn(move |inner| Gate {
        check: Arc::clone(&check),
        inner,
    })
}

// === impl Gate ===

impl<C, S: Clone> Clone for Gate<C, S> {
    fn clone(&self) -> Self {
        Self {
            check: Arc::clone(&self.check),
            inner: self.inner.clone(),
        }
    }
}

impl<C, S, B> Service<Box<ArrivedRequest<B>>> for Gate<C, S>
where
    C: HeadCheck,
    S: Service<Box<ArrivedRequest<B>>, Response = EdgeResponse, Error = Infallible>,
{
    type Response = EdgeResponse;
    type Error = Infallible;
    type Future = Either<S::Future, Ready<Result<EdgeResponse, Infallible>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Box<ArrivedRequest<B>>) -> Self::Future {
        match self.check.check(&mut request) {
            Ok(()) => Either::Left(self.inner.call(request)),
            Err(refusal) => Either::Right(ready(Ok(refused(&refusal)))),
        }
    }
}
