//! A request body with a minimum rate.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use crate::gateway::body::data_len;
use crate::layers::{BodyError, ClientBody};
use crate::server::MinRate;
use calendar_edge_core::settings::{Limits, Timeouts};

/// Fails once its client is slower than `limits.min_body_rate`.
///
/// Only time spent waiting for the client counts, not the time that a slow origin takes.
#[derive(Debug)]
pub(in crate::gateway) struct MinRateBody {
    body: ClientBody,
    min_rate: Option<MinRate>,
}

// === impl MinRateBody ===

impl MinRateBody {
    pub(in crate::gateway) fn new(body: ClientBody, limits: &Limits, timeouts: &Timeouts) -> Self {
        let (grace, most) = (timeouts.client_body_grace, timeouts.client_body);
        let min_rate = MinRate::new(grace.min(most), most, limits.min_body_rate);
        Self {
            body,
            min_rate: (limits.min_body_rate > 0).then_some(min_rate),
        }
    }
}

impl Body for MinRateBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let this = self.get_mut();
        let frame = Pin::new(&mut this.body).poll_frame(cx);
        let Some(min_rate) = &mut this.min_rate else {
            return frame;
        };
        let Poll::Ready(frame) = frame else {
            ready!(min_rate.poll_exceeded(cx));
            return Poll::Ready(Some(Err(BodyError::Slow)));
        };
        min_rate.moved(data_len(frame.as_ref()));
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
