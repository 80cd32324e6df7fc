//! The current stack, which a reload replaces as a whole.

use std::convert::Infallible;
use std::sync::Arc;

use hyper::body::Incoming;
use parking_lot::Mutex;
use tower::Service;

use super::Stack;
use crate::server::ReceivedRequest;
use crate::server::response::PlainResponse;
use crate::server::threads::PerThread;

/// Sends each request through the stack that is current when the head is complete.
///
/// A stack is built from one configuration, so a request sees one configuration from its first layer to the last byte
/// of its response, also if the stack is replaced meanwhile. Each thread has a copy of the stack, so that a request
/// needs none.
#[derive(Debug, Clone)]
pub(crate) struct CurrentStack(Arc<PerThread<Mutex<Stack>>>);

// === impl CurrentStack ===

impl CurrentStack {
    /// Starts with this stack, for so many threads that serve.
    pub(crate) fn new(stack: &Stack, threads: usize) -> Self {
        Self(Arc::new(PerThread::new(threads, || Mutex::new(stack.clone()))))
    }

    /// Replaces the stack for all future requests.
    pub(crate) fn replace(&self, stack: &Stack) {
        for current in self.0.all() {
            // Dropped when requests can go on: the last of it may close connections.
            let _old = std::mem::replace(&mut *current.lock(), stack.clone());
        }
    }
}

impl hyper::service::Service<ReceivedRequest<Incoming>> for CurrentStack {
    type Response = PlainResponse;
    type Error = Infallible;
    type Future = <Stack as Service<ReceivedRequest<Incoming>>>::Future;

    fn call(&self, received: ReceivedRequest<Incoming>) -> Self::Future {
        // Without `poll_ready`: the gateway is always ready, and the layers are as ready as the service that they
        // surround.
        self.0.own().lock().call(received)
    }
}
