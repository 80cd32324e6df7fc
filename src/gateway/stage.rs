//! One step on the way of a calendar call.

use std::future::Future;
use std::sync::Arc;

/// A step that takes a request of one type and responds, or passes another type on to the next step.
///
/// It is tower's `Service` without readiness: no step here has a state between calls that a caller would have to wait
/// for. Futures are neither boxed nor named.
pub(super) trait Stage<Request>: Send + Sync + 'static {
    /// The result of the step.
    type Response;

    /// Takes the step and all steps below it.
    fn call(&self, request: Request) -> impl Future<Output = Self::Response> + Send;
}

impl<Request: Send + 'static, S: Stage<Request>> Stage<Request> for Arc<S> {
    type Response = S::Response;

    fn call(&self, request: Request) -> impl Future<Output = Self::Response> + Send {
        (**self).call(request)
    }
}
