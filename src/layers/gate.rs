//! A layer that lets a request pass if a pure check accepts its head.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::future::Either;
use http::Request;
use http::request::Parts;
use tower::{Layer, Service};

use crate::problem::Refusal;
use crate::response::{EdgeResponse, refused};

/// A pure rule about request heads.
pub(super) trait HeadCheck: Send + Sync + 'static {
    /// The fact that the check finds.
    type Fact;

    /// Returns a fact, or the refusal of the head.
    fn check(&self, head: &Parts) -> Result<Self::Fact, Refusal>;

    /// Notes the fact for the layers below.
    fn found(&self, fact: Self::Fact, head: &mut Parts);

    /// Notes why a head is refused.
    fn note(&self, head: &Parts, refusal: &Refusal);
}

/// Puts a [`HeadCheck`] before a service.
#[derive(Debug)]
pub(super) struct GateLayer<C> {
    check: Arc<C>,
}

/// Responds with the refusal of its check, if there is one.
#[derive(Debug)]
pub(super) struct Gate<C, S> {
    check: Arc<C>,
    inner: S,
}

// === impl GateLayer ===

impl<C: HeadCheck> GateLayer<C> {
    pub(super) fn new(check: C) -> Self {
        Self {
            check: Arc::new(check),
        }
    }
}

impl<C, S> Layer<S> for GateLayer<C> {
    type Service = Gate<C, S>;

    fn layer(&self, inner: S) -> Self::Service {
        Gate {
            check: Arc::clone(&self.check),
            inner,
        }
    }
}

impl<C> Clone for GateLayer<C> {
    fn clone(&self) -> Self {
        Self {
            check: Arc::clone(&self.check),
        }
    }
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

impl<C, S, B> Service<Request<B>> for Gate<C, S>
where
    C: HeadCheck,
    S: Service<Request<B>, Response = EdgeResponse, Error = Infallible>,
{
    type Response = EdgeResponse;
    type Error = Infallible;
    type Future = Either<S::Future, Ready<Result<EdgeResponse, Infallible>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let (mut head, body) = request.into_parts();
        match self.check.check(&head) {
            Ok(fact) => {
                self.check.found(fact, &mut head);
                Either::Left(self.inner.call(Request::from_parts(head, body)))
            }
            Err(refusal) => {
                self.check.note(&head, &refusal);
                Either::Right(ready(Ok(refused(&refusal))))
            }
        }
    }
}
