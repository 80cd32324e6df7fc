//! The body of a call: read whole, or dropped where the method has none.

use bytes::Bytes;

use super::body::{self, BodyFault, BodyReader, Unwanted};
use super::calls::{CallBody, CallRequest, CallResponse};
use super::stage::Stage;
use crate::decision::{BodyRule, ReadableCall};

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

    async fn read(&self, rule: BodyRule, body: CallBody) -> Result<Bytes, BodyFault> {
        let body = match body {
            CallBody::Read(body) => return Ok(body),
            CallBody::Incoming(body) => body,
        };
        match rule {
            BodyRule::Read => self.bodies.read(body).await,
            BodyRule::Drop => body::discard(body).await.map(|_| Bytes::new()),
            BodyRule::Refuse => match body::discard(body).await? {
                Unwanted::Sent => Err(BodyFault::Unexpected),
                Unwanted::Absent => Ok(Bytes::new()),
            },
        }
    }
}

impl<S> Stage<CallRequest> for ReadBody<S>
where
    S: Stage<CallRequest<Bytes>, Response = CallResponse>,
{
    type Response = CallResponse;

    async fn call(&self, request: CallRequest) -> CallResponse {
        let CallRequest {
            head,
            context,
            opened,
            body,
        } = request;
        let rule = opened.next().map_or(BodyRule::Drop, ReadableCall::body);
        match self.read(rule, body).await {
            Ok(body) => {
                let request = CallRequest {
                    head,
                    context,
                    opened,
                    body,
                };
                self.inner.call(request).await
            }
            Err(fault) => fault.response().into(),
        }
    }
}
