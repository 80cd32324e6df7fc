//! The body of a call: read whole, or dropped or left where the call does not need it.

use bytes::Bytes;

use super::body::{self, BodyFault, BodyReader, Unwanted};
use super::calls::{CallBody, CallRequest, CallResponse, ReceivedBody};
use super::stage::Stage;
use crate::decision::{BodyRule, ReadableCall};
use crate::layers::ClientBody;

/// Answers when a body is too large, too slow, incomplete, or not expected.
#[derive(Debug)]
pub(super) struct ReadBody<S> {
    inner: S,
    bodies: BodyReader,
}

// === impl ReadBody ===

impl<S> ReadBody<S> {
    pub(super) const fn new(inner: S, bodies: BodyReader) -> Self {
        Self { inner, bodies }
    }

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
            BodyRule::Refuse => match body::discard(body).await? {
                Unwanted::Sent => Err(BodyFault::Unexpected),
                Unwanted::Absent => Ok(dropped()),
            },
        }
    }
}

/// A body that was read to find out where the request leads, under the same rules.
fn received(call: Option<&ReadableCall>, body: Bytes) -> Result<ReceivedBody, BodyFault> {
    match call.map(|call| (call.body(), call.is_too_large(&body))) {
        Some((BodyRule::Leave, _) | (BodyRule::Brief, true)) => Ok(ReceivedBody::Left),
        Some((BodyRule::Read, true)) => Err(BodyFault::TooLarge),
        Some(_) | None => Ok(ReceivedBody::Whole(body)),
    }
}

impl<S> Stage<CallRequest> for ReadBody<S>
where
    S: Stage<CallRequest<ReceivedBody>, Response = CallResponse>,
{
    type Response = CallResponse;

    async fn call(&self, request: CallRequest) -> CallResponse {
        let CallRequest { asked, opened, body } = request;
        match self.read(opened.next().ok(), body).await {
            Ok(body) => {
                let request = CallRequest { asked, opened, body };
                self.inner.call(request).await
            }
            Err(fault) => fault.response().into(),
        }
    }
}
