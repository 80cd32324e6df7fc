//! The body of a call: read whole, or dropped or left where the call does not need it; refusals that the head alone
//! decides come before it.

use bytes::Bytes;
use http_body::Body;

use crate::calls::{CallResponse, Stage};
use crate::gateway::body::{self, BodyFault, BodyReader};
use crate::gateway::call_request::{CallBody, CallRequest, JudgedRequest};
use crate::layers::{BodyError, refused};
use crate::server::bodies::CollectError;
use crate::telemetry::RefusalNote;
use calendar_edge_core::errors;
use calendar_edge_core::gateway::decision::{BodyRule, ReadableCall};
use calendar_edge_core::gateway::refusals::DecidingBody;
use calendar_edge_judge::problem::OwnError;

/// Responds to requests that the decider refuses by their head, and to those whose body is too large, too slow,
/// incomplete, or not expected.
#[derive(Debug)]
pub(in crate::gateway) struct ReadBody<S> {
    pub(in crate::gateway) inner: S,
    pub(in crate::gateway) bodies: BodyReader,
}

// === impl ReadBody ===

impl<S> ReadBody<S> {
    async fn read(&self, call: &ReadableCall, body: CallBody) -> Result<Option<Bytes>, BodyFault> {
        let body = match body {
            // Read to find out where the request leads, under the same rules.
            CallBody::Read(body) => return call.taken(body).map_err(refused_for),
            CallBody::Incoming(body) => body,
        };
        match call.body {
            BodyRule::Read => self.bodies.read(body, call.body_bytes()).await.map(Some),
            BodyRule::Brief => self.bodies.read_brief(body, call.body_bytes()).await,
            BodyRule::Leave => Ok(None),
            BodyRule::Drop => body::discard(body).await.map(|_| Some(Bytes::new())),
            BodyRule::Refuse if body::discard(body).await? => Err(refused_for(errors::UNEXPECTED_BODY)),
            BodyRule::Refuse => Ok(Some(Bytes::new())),
        }
    }
}

/// No body, where none is read and none is sent.
fn absent(call: &ReadableCall, body: &CallBody) -> Option<Bytes> {
    let is_absent = matches!(body, CallBody::Incoming(body) if body.is_end_stream());
    let is_dropped = matches!(call.body, BodyRule::Drop | BodyRule::Refuse);
    (is_absent && is_dropped).then(Bytes::new)
}

const fn refused_for(error: &'static OwnError) -> BodyFault {
    CollectError::Body(BodyError::Refused(error))
}

impl<S: Stage<JudgedRequest, CallResponse>> Stage<CallRequest, CallResponse> for ReadBody<S> {
    async fn call(&self, request: CallRequest) -> CallResponse {
        let CallRequest {
            received,
            opened,
            body,
        } = request;
        let call = match opened.next() {
            Ok(call) => call,
            Err(refusal) => {
                received.refused(DecidingBody::None, RefusalNote::rules(refusal));
                return refused(refusal).into();
            }
        };
        let taken = match absent(call, &body) {
            Some(absent) => Ok(Some(absent)),
            // Behind a pointer: most calls have no body.
            None => Box::pin(self.read(call, body)).await,
        };
        match taken {
            Ok(body) => {
                let request = CallRequest {
                    received,
                    opened,
                    body,
                };
                self.inner.call(request).await
            }
            Err(fault) => {
                let reason = RefusalNote::moment("the body does not arrive within its limits");
                received.refused(DecidingBody::None, reason);
                body::not_taken(&fault).into()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use http::header::{AUTHORIZATION, EXPECT};
    use http::{HeaderValue, StatusCode};

    use super::*;
    use crate::calls::fake_stage::{EVENT, FakeStage, presented, request, settings};
    use crate::gateway::{GatewayState, Plan};
    use crate::layers::{BodilessRequest, SentBody};
    use crate::telemetry::Metrics;
    use calendar_edge_core::settings::Settings;

    /// The status of a request, what the stage below gets of its body, and the bytes of it that were read.
    async fn read(settings: &Settings, posted: BodilessRequest) -> (StatusCode, Option<String>, u64) {
        let below = FakeStage::at_once(|_: &JudgedRequest| presented(StatusCode::OK, "{}"));
        let state = GatewayState::new(settings, 0, Metrics::new()).expect("a state");
        let plan = Plan::new(settings, &state);
        let reading = ReadBody {
            inner: Arc::clone(&below),
            bodies: plan.bodies.clone(),
        };
        let (body, sent) = SentBody::of(EVENT).await;
        let response = reading
            .call(CallRequest::of(&plan.decider, posted, body))
            .await
            .response;
        let received = below.each(|request| match &request.body {
            Some(body) => String::from_utf8_lossy(body).into_owned(),
            None => "left".to_owned(),
        });
        assert!(received.len() <= 1);
        (response.status(), received.into_iter().next(), sent.bytes_read())
    }

    fn whole() -> (Option<String>, u64) {
        (Some(EVENT.to_owned()), EVENT.len() as u64)
    }

    #[tokio::test]
    async fn a_write_is_judged_with_its_whole_body() {
        let (status, received, read) = read(&settings(), request("POST", "/events")).await;
        assert_eq!((status, (received, read)), (StatusCode::OK, whole()));
    }

    #[tokio::test]
    async fn a_head_that_decides_costs_no_byte_of_the_body() {
        let mut settings = settings();
        settings.write_addresses = vec!["10.0.0.0/8".parse().expect("a network")];
        let (status, received, read) = read(&settings, request("POST", "/events")).await;
        assert_eq!((status, received, read), (StatusCode::FORBIDDEN, None, 0));
    }

    #[tokio::test]
    async fn a_body_that_says_it_is_too_large_costs_no_byte() {
        let mut settings = settings();
        settings.limits.body_bytes = 10;
        let (status, received, read) = read(&settings, request("POST", "/events")).await;
        assert_eq!((status, received, read), (StatusCode::PAYLOAD_TOO_LARGE, None, 0));
    }

    #[tokio::test]
    async fn a_client_that_asks_first_is_refused_without_its_body() {
        let mut posted = request("POST", "/events");
        posted.head.headers.remove(AUTHORIZATION);
        let brief = read(&settings(), posted.clone()).await;
        assert_eq!(
            (brief.1, brief.2),
            whole(),
            "a short one comes for the words of the refusal"
        );
        posted
            .head
            .headers
            .insert(EXPECT, HeaderValue::from_static("100-continue"));
        let (_, received, read) = read(&settings(), posted).await;
        assert_eq!((received.as_deref(), read), (Some("left"), 0));
    }

    #[tokio::test]
    async fn a_read_is_judged_without_the_body_that_it_came_with() {
        let (status, received, _) = read(&settings(), request("GET", "/events")).await;
        assert_eq!((status, received.as_deref()), (StatusCode::OK, Some("")));
    }
}
