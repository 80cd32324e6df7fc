//! A layer that lets a request pass if a pure check accepts its head.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::future::Either;
use tower::{Layer, Service};

use super::arrived_request::ArrivedRequest;
use super::noted::Noted;
use super::response::{EdgeResponse, refused};
use calendar_edge_judge::problem::Refusal;

/// A pure rule about request heads.
pub(super) trait HeadCheck: Send + Sync + 'static {
    /// The fact that the check finds.
    type Fact;

    /// Returns a fact, or the refusal of the head.
    fn check<B>(&self, request: &ArrivedRequest<B>) -> Result<Self::Fact, Refusal>;

    /// Notes the fact for the layers below.
    fn found(&self, fact: Self::Fact, noted: &mut Noted);

    /// Notes why a head is refused.
    fn note<B>(&self, request: &ArrivedRequest<B>, refusal: &Refusal);
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
        match self.check.check(&request) {
            Ok(fact) => {
                self.check.found(fact, &mut request.context);
                Either::Left(self.inner.call(request))
            }
            Err(refusal) => {
                self.check.note(&request, &refusal);
                Either::Right(ready(Ok(refused(&refusal))))
            }
        }
    }
}
