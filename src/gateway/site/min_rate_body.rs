//! A request body with a minimum rate.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame};

use crate::layers::{BodyError, ClientBody};
use crate::server::MinRate;
use crate::server::bodies::{BodyHook, HookedBody, PolledFrame};
use calendar_edge_core::settings::{Limits, Timeouts};

/// Fails once its client is slower than `limits.min_body_rate`.
///
/// Only time spent waiting for the client counts, not the time that a slow origin takes.
///
/// Without a minimum rate, it passes the body on.
pub(in crate::gateway) type MinRateBody = HookedBody<ClientBody, Option<MinRate>>;

// === impl MinRateBody ===

impl MinRateBody {
    pub(in crate::gateway) fn new(body: ClientBody, limits: &Limits, timeouts: &Timeouts) -> Self {
        let (grace, most) = (timeouts.client_body_grace, timeouts.client_body);
        let min_rate = MinRate::new(grace.min(most), most, limits.min_body_rate);
        Self {
            body,
            hook: (limits.min_body_rate > 0).then_some(min_rate),
        }
    }
}

impl BodyHook<ClientBody> for Option<MinRate> {
    type Error = BodyError;

    fn poll_frame(&mut self, body: Pin<&mut ClientBody>, cx: &mut Context<'_>) -> PolledFrame<BodyError> {
        let frame = body.poll_frame(cx);
        let Some(min_rate) = self else {
            return frame;
        };
        let Poll::Ready(frame) = frame else {
            ready!(min_rate.poll_exceeded(cx));
            return Poll::Ready(Some(Err(BodyError::Slow)));
        };
        min_rate.moved(data_len(frame.as_ref()));
        Poll::Ready(frame)
    }
}

/// The bytes of content in what a body was polled for.
pub(super) fn data_len(polled: Option<&Result<Frame<Bytes>, BodyError>>) -> usize {
    let frame = polled.and_then(|frame| frame.as_ref().ok());
    frame.and_then(Frame::data_ref).map_or(0, Bytes::len)
}
