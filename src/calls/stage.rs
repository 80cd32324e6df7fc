//! One step on the way of a calendar call.

use std::future::Future;
use std::sync::Arc;

/// A step that takes a request of one type and responds, or passes another type on to the next step.
///
/// It is tower's `Service` without readiness: no step here has a state between calls that a caller would have to wait
/// for. Futures are neither boxed nor named.
pub(crate) trait Stage<Request, Response>: Send + Sync + 'static {
    /// Takes the step and all steps below it.
    fn call(&self, request: Request) -> impl Future<Output = Response> + Send;
}

impl<Request: Send + 'static, Response, S> Stage<Request, Response> for Arc<S>
where
    S: Stage<Request, Response>,
{
    fn call(&self, request: Request) -> impl Future<Output = Response> + Send {
        (**self).call(request)
    }
}
