//! Refusals that the head alone decides, before a body is read.

use super::calls::{CallRequest, CallResponse};
use super::stage::Stage;
use crate::evidence::DecidingBody;
use crate::layers::RefusalReason;
use crate::response::refused;

/// Answers requests that [`Decider::open`](crate::decision::Decider::open) refuses.
#[derive(Debug)]
pub(super) struct HeadRefusal<S> {
    inner: S,
}

// === impl HeadRefusal ===

impl<S> HeadRefusal<S> {
    pub(super) const fn new(inner: S) -> Self {
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
