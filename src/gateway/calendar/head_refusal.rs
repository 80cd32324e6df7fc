//! Refusals that the head alone decides, before a body is read.

use crate::gateway::calls::{CallRequest, CallResponse};
use crate::gateway::stage::Stage;
use crate::layers::RefusalReason;
use crate::server::response::refused;
use calendar_edge_core::gateway::refusals::DecidingBody;

/// Answers requests that [`Decider::open`](calendar_edge_core::gateway::decision::Decider::open) refuses.
#[derive(Debug)]
pub(in crate::gateway) struct HeadRefusal<S> {
    inner: S,
}

// === impl HeadRefusal ===

impl<S> HeadRefusal<S> {
    pub(in crate::gateway) const fn new(inner: S) -> Self {
        Self { inner }
    }
}

impl<S> Stage<CallRequest> for HeadRefusal<S>
where
    S: Stage<CallRequest, Response = CallResponse>,
{
    type Response = CallResponse;

    async fn call(&self, request: CallRequest) -> CallResponse {
        match request.opened.next() {
            Err(refusal) => {
                let reason = RefusalReason::rules(refusal);
                request.asked.refused(DecidingBody::None, reason);
                refused(refusal).into()
            }
            Ok(_) => self.inner.call(request).await,
        }
    }
}
