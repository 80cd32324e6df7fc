//! An answer's body on its way in: bounded in size and in the time the origin takes.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};

use super::failure::ExchangeFailure;
use super::loan::Loan;

/// The body of an origin's answer.
///
/// Only time spent waiting for the origin counts: a client that reads slowly does not use up the origin's
/// deadline. The place toward the origin is held to the end, unless others need it more.
#[derive(Debug)]
pub(crate) struct OriginBody {
    loan: Loan,
    patience: Duration,
    clock: Pin<Box<Sleep>>,
    waiting_since: Option<Instant>,
    bytes_left: u64,
}

impl OriginBody {
    /// Takes over a body for which the origin has so much time and so many bytes left.
    pub(super) fn new(loan: Loan, patience: Duration, bytes: u64) -> Self {
        Self {
            loan,
            patience,
            clock: Box::pin(sleep_until(Instant::now())),
            waiting_since: None,
            bytes_left: bytes,
        }
    }

    /// The failure, if the origin has let us wait too long.
    fn poll_patience(&mut self, cx: &mut Context<'_>) -> Poll<ExchangeFailure> {
        if self.waiting_since.is_none() {
            let now = Instant::now();
            self.waiting_since = Some(now);
            self.clock.as_mut().reset(now + self.patience);
        }
        ready!(self.clock.as_mut().poll(cx));
        Poll::Ready(ExchangeFailure::Timeout)
    }

    fn stop_waiting(&mut self) {
        if let Some(since) = self.waiting_since.take() {
            self.patience = self.patience.saturating_sub(since.elapsed());
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
        let Poll::Ready(frame) = this.loan.poll_frame(cx) else {
            let failure = ready!(this.poll_patience(cx));
            this.loan.end();
            return Poll::Ready(Some(Err(failure)));
        };
        this.stop_waiting();
        let frame = frame.map(|frame| frame.and_then(|frame| this.admit(frame)));
        if !matches!(frame, Some(Ok(_))) {
            this.loan.end();
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.loan.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.loan.size_hint()
    }
}
