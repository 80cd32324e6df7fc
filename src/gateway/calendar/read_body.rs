//! The body of a call: read whole, or dropped or left where the call does not need it; refusals that the head alone
//! decides come before it.

use bytes::Bytes;
use http_body::Body;

use crate::calls::{CallResponse, Stage};
use crate::gateway::body::{self, BodyFault, BodyReader};
use crate::gateway::call_request::{CallBody, CallRequest, ReceivedBody};
use crate::layers::{RefusalReason, refused};
use crate::server::bodies::CollectError;
use calendar_edge_core::gateway::decision::{BodyRule, ReadableCall};
use calendar_edge_core::gateway::refusals::DecidingBody;

/// Responds to requests that the decider refuses by their head, and to those whose body is too large, too slow,
/// incomplete, or not expected.
#[derive(Debug)]
pub(in crate::gateway) struct ReadBody<S> {
    pub(in crate::gateway) inner: S,
    pub(in crate::gateway) bodies: BodyReader,
}

// === impl ReadBody ===

impl<S> ReadBody<S> {
    async fn read(&self, call: &ReadableCall, body: CallBody) -> Result<ReceivedBody, BodyFault> {
        let body = match body {
            CallBody::Read(body) => return received(call, body),
            CallBody::Incoming(body) => body,
        };
        let dropped = || ReceivedBody::Whole(Bytes::new());
        match call.body() {
            BodyRule::Read => self
                .bodies
                .read(body, call.body_bytes())
                .await
                .map(ReceivedBody::Whole),
            BodyRule::Brief => self.bodies.read_brief(body, call.body_bytes()).await,
            BodyRule::Leave => Ok(ReceivedBody::Left),
            BodyRule::Drop => body::discard(body).await.map(|_| dropped()),
            BodyRule::Refuse if body::discard(body).await? => Err(BodyFault::Unexpected),
            BodyRule::Refuse => Ok(dropped()),
        }
    }
}

/// No body, where none is read and none is sent.
fn absent(call: &ReadableCall, body: &CallBody) -> Option<ReceivedBody> {
    let is_absent = matches!(body, CallBody::Incoming(body) if body.is_end_stream());
    let is_dropped = matches!(call.body(), BodyRule::Drop | BodyRule::Refuse);
    (is_absent && is_dropped).then(|| ReceivedBody::Whole(Bytes::new()))
}

/// A body that was read to find out where the request leads, under the same rules.
fn received(call: &ReadableCall, body: Bytes) -> Result<ReceivedBody, BodyFault> {
    match (call.body(), call.is_too_large(&body)) {
        (BodyRule::Leave, _) | (BodyRule::Brief, true) => Ok(ReceivedBody::Left),
        (BodyRule::Read, true) => Err(CollectError::TooLarge.into()),
        _ => Ok(ReceivedBody::Whole(body)),
    }
}

impl<S: Stage<CallRequest<ReceivedBody>, CallResponse>> Stage<CallRequest, CallResponse> for ReadBody<S> {
    async fn call(&self, request: CallRequest) -> CallResponse {
        let CallRequest { asked, opened, body } = request;
        let call = match opened.next() {
            Ok(call) => call,
            Err(refusal) => {
                asked.refused(DecidingBody::None, RefusalReason::rules(refusal));
                return refused(refusal).into();
            }
        };
        let received = match absent(call, &body) {
            Some(absent) => Ok(absent),
            // Behind a pointer: most calls have no body.
            None => Box::pin(self.read(call, body)).await,
        };
        match received {
            Ok(body) => {
                let request = CallRequest { asked, opened, body };
                self.inner.call(request).await
            }
            Err(fault) => {
                let reason = RefusalReason::moment("the body does not arrive within its limits");
                asked.refused(DecidingBody::None, reason);
                fault.response().into()
            }
        }
    }
}
