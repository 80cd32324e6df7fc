//! A response body that counts its request as running and measures how fast the client reads.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use super::activity::RunningRequest;
use super::h2_stalls::StreamProgress;
use crate::server::bodies::{BodyHook, HookedBody, PolledFrame};
use crate::server::response::{BoxError, EdgeBody};

/// The most bytes handed to an HTTP/2 stream at once: hyper accepts a whole piece, however small the window.
const PIECE: usize = 16 * 1024;

/// A response body on its way to the client.
pub(super) type CountedBody = HookedBody<EdgeBody, SentPieces>;

/// The count of a running request, and of the bytes that its client has read.
#[derive(Debug)]
pub(super) struct SentPieces {
    _running: Option<RunningRequest>,
    /// Set for HTTP/2 only: over HTTP/1 the socket shows how much the client reads.
    progress: Option<Arc<StreamProgress>>,
    /// The rest of the last frame.
    rest: Bytes,
    /// Bytes of the last piece.
    handed: usize,
}

// === impl CountedBody ===

impl CountedBody {
    pub(super) fn new(body: EdgeBody, running: Option<RunningRequest>) -> Self {
        let hook = SentPieces {
            _running: running,
            progress: StreamProgress::current(),
            rest: Bytes::new(),
            handed: 0,
        };
        Self { body, hook }
    }
}

// === impl SentPieces ===

impl SentPieces {
    /// Returns data in pieces. hyper requests the next piece when the client has taken the one before.
    fn poll_piece(
        &mut self,
        body: Pin<&mut EdgeBody>,
        progress: &StreamProgress,
        cx: &mut Context<'_>,
    ) -> PolledFrame<BoxError> {
        progress.took(std::mem::take(&mut self.handed));
        if self.rest.is_empty() {
            let frame = match ready!(body.poll_frame(cx)) {
                Some(Ok(frame)) => frame,
                end => return Poll::Ready(end),
            };
            match frame.into_data() {
                Ok(data) => self.rest = data,
                Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
            }
        }
        let piece = self.rest.split_to(self.rest.len().min(PIECE));
        self.handed = piece.len();
        progress.hands_over();
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }
}

impl BodyHook<EdgeBody> for SentPieces {
    type Error = BoxError;

    fn poll_frame(&mut self, body: Pin<&mut EdgeBody>, cx: &mut Context<'_>) -> PolledFrame<BoxError> {
        match self.progress.clone() {
            Some(progress) => self.poll_piece(body, &progress, cx),
            None => body.poll_frame(cx),
        }
    }

    fn is_end_stream(&self, body: &EdgeBody) -> bool {
        self.rest.is_empty() && body.is_end_stream()
    }

    fn size_hint(&self, body: &EdgeBody) -> SizeHint {
        let rest = u64::try_from(self.rest.len()).unwrap_or(u64::MAX);
        let inner = body.size_hint();
        let mut hint = SizeHint::new();
        hint.set_lower(inner.lower().saturating_add(rest));
        if let Some(upper) = inner.upper() {
            hint.set_upper(upper.saturating_add(rest));
        }
        hint
    }
}
