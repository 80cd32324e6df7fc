//! A response body that counts its request as running and measures how fast the client reads.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use super::activity::RunningRequest;
use super::h2_stalls::StreamProgress;
use crate::server::response::{BoxError, EdgeBody};

/// The most bytes handed to an HTTP/2 stream at once: hyper accepts a whole piece, however small the window.
const PIECE: usize = 16 * 1024;

/// A response body on its way to the client.
#[derive(Debug)]
pub(super) struct CountedBody {
    inner: EdgeBody,
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
    pub(super) fn new(inner: EdgeBody, running: Option<RunningRequest>) -> Self {
        Self {
            inner,
            _running: running,
            progress: StreamProgress::current(),
            rest: Bytes::new(),
            handed: 0,
        }
    }

    /// Returns data in pieces. hyper asks for the next piece when the client has taken the one before.
    fn poll_piece(
        &mut self,
        progress: &StreamProgress,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        progress.took(std::mem::take(&mut self.handed));
        if self.rest.is_empty() {
            let frame = match ready!(Pin::new(&mut self.inner).poll_frame(cx)) {
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

impl Body for CountedBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = self.get_mut();
        match this.progress.clone() {
            Some(progress) => this.poll_piece(&progress, cx),
            None => Pin::new(&mut this.inner).poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let rest = u64::try_from(self.rest.len()).unwrap_or(u64::MAX);
        let inner = self.inner.size_hint();
        let mut hint = SizeHint::new();
        hint.set_lower(inner.lower().saturating_add(rest));
        if let Some(upper) = inner.upper() {
            hint.set_upper(upper.saturating_add(rest));
        }
        hint
    }
}
