//! The body of an upload to the rest of the site, which gives way to others if its client is slow.

use std::pin::Pin;
use std::task::{Context, Poll};

use http_body::Body;

use super::min_rate_body::{MinRateBody, data_len};
use crate::layers::BodyError;
use crate::server::bodies::{BodyHook, HookedBody, PolledFrame, Share};

/// A body that fails when it is given up for others.
pub(in crate::gateway) type UploadBody = HookedBody<MinRateBody, Share>;

impl BodyHook<MinRateBody> for Share {
    type Error = BodyError;

    fn poll_frame(&mut self, body: Pin<&mut MinRateBody>, cx: &mut Context<'_>) -> PolledFrame<BodyError> {
        let Poll::Ready(frame) = body.poll_frame(cx) else {
            return if self.pauses(cx) {
                Poll::Pending
            } else {
                Poll::Ready(Some(Err(BodyError::GivenUp)))
            };
        };
        self.passes(data_len(frame.as_ref()));
        Poll::Ready(frame)
    }
}
