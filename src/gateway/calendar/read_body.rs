//! The body of a call: read whole, or dropped or left where the call does not need it.

use bytes::Bytes;
use http_body::Body;

use crate::calls::{CallResponse, Stage};
use crate::gateway::body::{self, BodyFault, BodyReader};
use crate::gateway::call_request::{CallBody, CallRequest, ReceivedBody};
use crate::layers::{ClientBody, RefusalReason};
use crate::server::bodies::CollectError;
use calendar_edge_core::gateway::decision::{BodyRule, ReadableCall};
use calendar_edge_core::gateway::refusals::DecidingBody;

/// Answers when a body is too large, too slow, incomplete, or not expected.
#[derive(Debug)]
pub(in crate::gateway) struct ReadBody<S> {
    pub(in crate::gateway) inner: S,
    pub(in crate::gateway) bodies: BodyReader,
}

// === impl ReadBody ===

impl<S> ReadBody<S> {
    async fn read(&self, call: Option<&ReadableCall>, body: CallBody) -> Result<ReceivedBody, BodyFault> {
        match body {
            CallBody::Read(body) => received(call, body),
            CallBody::Incoming(body) => match call {
                Some(call) => self.receive(call, body).await,
                None => Ok(ReceivedBody::Left),
            },
        }
    }

    async fn receive(&self, call: &ReadableCall, body: ClientBody) -> Result<ReceivedBody, BodyFault> {
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
fn absent(call: Option<&ReadableCall>, body: &CallBody) -> Option<ReceivedBody> {
    let is_absent = matches!(body, CallBody::Incoming(body) if body.is_end_stream());
    let is_dropped = matches!(call?.body(), BodyRule::Drop | BodyRule::Refuse);
    (is_absent && is_dropped).then(|| ReceivedBody::Whole(Bytes::new()))
}

/// A body that was read to find out where the request leads, under the same rules.
fn received(call: Option<&ReadableCall>, body: Bytes) -> Result<ReceivedBody, BodyFault> {
    match call.map(|call| (call.body(), call.is_too_large(&body))) {
        Some((BodyRule::Leave, _) | (BodyRule::Brief, true)) => Ok(ReceivedBody::Left),
        Some((BodyRule::Read, true)) => Err(CollectError::TooLarge.into()),
        Some(_) | None => Ok(ReceivedBody::Whole(body)),
    }
}

impl<S: Stage<CallRequest<ReceivedBody>, CallResponse>> Stage<CallRequest, CallResponse> for ReadBody<S> {
    async fn call(&self, request: CallRequest) -> CallResponse {
        let CallRequest { asked, opened, body } = request;
        let call = opened.next().ok();
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
