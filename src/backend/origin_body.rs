//! The body of an origin's response, with a limit on its size and on the origin's time.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame};
use tokio::time::{Instant, Sleep, sleep_until};

use super::failure::ExchangeFailure;
use super::revocable_permit::RevocablePermit;
use crate::server::bodies::{BodyHook, HookedBody, PolledFrame};

/// The body of an origin's response.
///
/// Only time spent waiting for the origin counts: a slow client does not use up the origin's deadline.
/// The permit is held until the end, unless it is revoked for another request.
pub(crate) type OriginBody = HookedBody<RevocablePermit, OriginLimits>;

/// The time and bytes that remain for the body of a response.
#[derive(Debug)]
pub(crate) struct OriginLimits {
    time_left: Duration,
    clock: Pin<Box<Sleep>>,
    waiting_since: Option<Instant>,
    bytes_left: u64,
}

impl OriginBody {
    /// A body with the time and the bytes that the origin has left for it.
    pub(super) fn new(body: RevocablePermit, time_left: Duration, bytes: u64) -> Self {
        let hook = OriginLimits {
            time_left,
            clock: Box::pin(sleep_until(Instant::now())),
            waiting_since: None,
            bytes_left: bytes,
        };
        Self { body, hook }
    }
}

impl OriginLimits {
    /// Fails when the origin has used up its time.
    fn poll_deadline(&mut self, cx: &mut Context<'_>) -> Poll<ExchangeFailure> {
        if self.waiting_since.is_none() {
            let now = Instant::now();
            self.waiting_since = Some(now);
            self.clock.as_mut().reset(now + self.time_left);
        }
        ready!(self.clock.as_mut().poll(cx));
        Poll::Ready(ExchangeFailure::Timeout)
    }

    fn stop_waiting(&mut self) {
        if let Some(since) = self.waiting_since.take() {
            self.time_left = self.time_left.saturating_sub(since.elapsed());
        }
    }

    /// Counts a frame's bytes.
    fn admit(&mut self, frame: Frame<Bytes>) -> Result<Frame<Bytes>, ExchangeFailure> {
        let bytes = frame.data_ref().map_or(0, Bytes::len);
        self.bytes_left = u64::try_from(bytes)
            .ok()
            .and_then(|bytes| self.bytes_left.checked_sub(bytes))
            .ok_or(ExchangeFailure::TooLarge)?;
        Ok(frame)
    }
}

impl BodyHook<RevocablePermit> for OriginLimits {
    type Error = ExchangeFailure;

    fn poll_frame(
        &mut self,
        mut permit: Pin<&mut RevocablePermit>,
        cx: &mut Context<'_>,
    ) -> PolledFrame<ExchangeFailure> {
        let Poll::Ready(frame) = permit.as_mut().poll_frame(cx) else {
            let failure = ready!(self.poll_deadline(cx));
            permit.release();
            return Poll::Ready(Some(Err(failure)));
        };
        self.stop_waiting();
        let frame = frame.map(|frame| frame.and_then(|frame| self.admit(frame)));
        if !matches!(frame, Some(Ok(_))) {
            permit.release();
        }
        Poll::Ready(frame)
    }
}
