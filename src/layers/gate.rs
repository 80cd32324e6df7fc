//! A layer that lets a request pass or refuses it, without waiting for anything.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::task::{Context, Poll};

use futures_util::future::Either;
use tower::layer::layer_fn;
use tower::{Layer, Service};

use super::response::EdgeResponse;

/// A check with the layers below it.
#[derive(Debug, Clone)]
pub(super) struct Gate<F, S> {
    check: F,
    inner: S,
}

/// Puts a check before a service: it returns the request for the layers below, or a refusal.
pub(super) fn gate<F: Clone, S>(check: F) -> impl Layer<S, Service = Gate<F, S>> {
    layer_fn(move |inner| Gate {
        check: check.clone(),
        inner,
    })
}

impl<F, S, R, P, E> Service<R> for Gate<F, S>
where
    F: Fn(R) -> Result<P, E>,
    E: Into<EdgeResponse>,
    S: Service<P, Response = EdgeResponse, Error = Infallible>,
{
    type Response = EdgeResponse;
    type Error = Infallible;
    type Future = Either<S::Future, Ready<Result<EdgeResponse, Infallible>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: R) -> Self::Future {
        match (self.check)(request) {
            Ok(request) => Either::Left(self.inner.call(request)),
            Err(refusal) => Either::Right(ready(Ok(refusal.into()))),
        }
    }
}
