//! Refusals that the head alone decides, before a body is read.

use crate::calls::{CallResponse, Stage};
use crate::gateway::call_request::CallRequest;
use crate::layers::RefusalReason;
use crate::layers::refused;
use calendar_edge_core::gateway::refusals::DecidingBody;

/// Answers requests that [`Decider::open`](calendar_edge_core::gateway::decision::Decider::open) refuses.
#[derive(Debug)]
pub(in crate::gateway) struct HeadRefusal<S> {
    pub(in crate::gateway) inner: S,
}

// === impl HeadRefusal ===

impl<S: Stage<CallRequest, CallResponse>> Stage<CallRequest, CallResponse> for HeadRefusal<S> {
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
