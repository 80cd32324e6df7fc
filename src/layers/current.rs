//! The current stack, which a reload replaces as a whole.

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

use arc_swap::ArcSwap;
use http::Request;
use hyper::body::Incoming;
use tower::util::Oneshot;
use tower::{Service, ServiceExt};

use super::Stack;
use crate::response::EdgeResponse;

/// Sends each request through the stack that is current when the head is complete.
///
/// A stack is built from one configuration, so a request sees one configuration from its first layer to the last byte
/// of its response, also if the stack is replaced meanwhile.
#[derive(Debug, Clone)]
pub(crate) struct CurrentStack(Arc<ArcSwap<Stack>>);

// === impl CurrentStack ===

impl CurrentStack {
    /// Starts with this stack.
    pub(crate) fn new(stack: Stack) -> Self {
        Self(Arc::new(ArcSwap::from_pointee(stack)))
    }

    /// Replaces the stack for all future requests.
    pub(crate) fn replace(&self, stack: Stack) {
        self.0.store(Arc::new(stack));
    }
}

impl Service<Request<Incoming>> for CurrentStack {
    type Response = EdgeResponse;
    type Error = Infallible;
    type Future = Oneshot<Stack, Request<Incoming>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Incoming>) -> Self::Future {
        Stack::clone(&self.0.load()).oneshot(request)
    }
}
