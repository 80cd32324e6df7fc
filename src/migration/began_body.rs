//! The body of a candidate's response that is relayed while it arrives: its end is reported to the guard.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http_body::Body;
use http_body_util::BodyExt;

use super::rule_state::RuleState;
use crate::calls::CallResponse;
use crate::server::bodies::{BodyHook, HookedBody, PolledFrame};
use crate::server::response::{BoxError, EdgeBody};
use calendar_edge_core::migration::cutover::RuleEvent;

/// Reports to the guard of a rule how a body ended. A client that leaves before proves nothing about the backend.
struct BodyEnd {
    rule_state: Arc<RuleState>,
    client: Option<IpAddr>,
}

/// The response with a body that is watched, unless it was read whole.
pub(super) fn watched(
    response: CallResponse,
    rule_state: &Arc<RuleState>,
    client: Option<IpAddr>,
) -> CallResponse {
    if response.response.body().size_hint().exact().is_some() {
        return response;
    }
    let hook = BodyEnd {
        rule_state: Arc::clone(rule_state),
        client,
    };
    CallResponse {
        response: response
            .response
            .map(|body| HookedBody { body, hook }.boxed_unsync()),
        ..response
    }
}

// === impl BodyEnd ===

impl BodyHook<EdgeBody> for BodyEnd {
    type Error = BoxError;

    fn poll_frame(&mut self, body: Pin<&mut EdgeBody>, cx: &mut Context<'_>) -> PolledFrame<BoxError> {
        let polled = body.poll_frame(cx);
        let event = match &polled {
            Poll::Ready(None) => Some(RuleEvent::Ended),
            Poll::Ready(Some(Err(_))) => Some(RuleEvent::BrokeOff),
            Poll::Ready(Some(Ok(_))) | Poll::Pending => None,
        };
        if let Some(event) = event {
            self.rule_state.observe(event, self.client);
        }
        polled
    }
}
