//! The body of an origin's response, with a limit on its size and on the origin's time.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};

use super::failure::ExchangeFailure;
use super::revocable_permit::RevocablePermit;

/// The body of an origin's response.
///
/// Only time spent waiting for the origin counts: a slow client does not use up the origin's deadline.
/// The permit is held until the end, unless it is revoked for another request.
#[derive(Debug)]
pub(crate) struct OriginBody {
    permit: RevocablePermit,
    time_left: Duration,
    clock: Pin<Box<Sleep>>,
    waiting_since: Option<Instant>,
    bytes_left: u64,
}

impl OriginBody {
    /// A body with the time and the bytes that the origin has left for it.
    pub(super) fn new(permit: RevocablePermit, time_left: Duration, bytes: u64) -> Self {
        Self {
            permit,
            time_left,
            clock: Box::pin(sleep_until(Instant::now())),
            waiting_since: None,
            bytes_left: bytes,
        }
    }

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

impl Body for OriginBody {
    type Data = Bytes;
    type Error = ExchangeFailure;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, ExchangeFailure>>> {
        let this = self.get_mut();
        let Poll::Ready(frame) = this.permit.poll_frame(cx) else {
            let failure = ready!(this.poll_deadline(cx));
            this.permit.release();
            return Poll::Ready(Some(Err(failure)));
        };
        this.stop_waiting();
        let frame = frame.map(|frame| frame.and_then(|frame| this.admit(frame)));
        if !matches!(frame, Some(Ok(_))) {
            this.permit.release();
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.permit.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.permit.size_hint()
    }
}
