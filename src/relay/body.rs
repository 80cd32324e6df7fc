//! The body on its way: held until complete when it fits, streamed when it does not.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Bytes, BytesMut};
use http_body::{Body, Frame, SizeHint};

use super::balance::Balance;
use super::failure::{BoxError, OriginFailure};
use super::rewrite::Rewriter;

/// The body of a relayed answer.
///
/// Trailers are dropped. An error means that the client already has the status: the connection must be
/// aborted, never ended cleanly.
#[derive(Debug)]
pub struct RelayBody<B> {
    state: State<B>,
}

#[derive(Debug)]
enum State<B> {
    /// All that is left to send.
    Whole(Bytes),
    /// More than fits the buffer.
    Streaming(Box<Streaming<B>>),
    /// Everything was sent, or nothing is due.
    Done,
}

#[derive(Debug)]
struct Streaming<B> {
    beginning: Option<Bytes>,
    rest: B,
    rewriter: Rewriter,
    balance: Balance,
    read: u64,
    limit: u64,
}

/// Why a body stops in the middle.
#[derive(Debug, thiserror::Error)]
pub enum BodyFailure {
    /// More than `limits.answer_bytes`.
    #[error("the origin's answer is larger than {limit} bytes")]
    TooLarge {
        /// The limit.
        limit: u64,
    },
    /// The message was complete, its JSON is not.
    #[error("the origin's JSON document is cut off")]
    Truncated,
    /// The connection broke.
    #[error("the origin's answer broke off")]
    Interrupted(#[source] BoxError),
}

/// A body as far as it was read.
#[derive(Debug)]
pub(super) enum Held<B> {
    /// To its end.
    Whole(Bytes),
    /// Until the buffer was full.
    Beginning(Bytes, B),
}

/// Reads a body to its end, or until more than `room` bytes are there.
pub(super) async fn hold<B>(mut body: B, room: usize) -> Result<Held<B>, OriginFailure>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
{
    let mut first = Bytes::new();
    let mut joined = BytesMut::new();
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        let frame = frame.map_err(|error| OriginFailure::Interrupted(error.into()))?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        // Most answers come in one piece, which is then never copied.
        if first.is_empty() && joined.is_empty() {
            first = data;
        } else {
            joined.reserve(first.len() + data.len());
            joined.extend_from_slice(&std::mem::take(&mut first));
            joined.extend_from_slice(&data);
        }
        if first.len() + joined.len() > room {
            return Ok(Held::Beginning(first_or(first, joined), body));
        }
    }
    Ok(Held::Whole(first_or(first, joined)))
}

fn first_or(first: Bytes, joined: BytesMut) -> Bytes {
    if joined.is_empty() { first } else { joined.freeze() }
}

// === impl RelayBody ===

impl<B> RelayBody<B> {
    /// No body.
    pub(super) const fn none() -> Self {
        Self { state: State::Done }
    }

    /// A body that is there, and rewritten.
    pub(super) const fn whole(bytes: Bytes) -> Self {
        Self {
            state: State::Whole(bytes),
        }
    }

    /// A body of which the beginning was judged.
    pub(super) fn streaming(beginning: Bytes, rest: B, rewriter: Rewriter, limit: u64) -> Self {
        Self {
            state: State::Streaming(Box::new(Streaming {
                beginning: Some(beginning),
                rest,
                rewriter,
                balance: Balance::default(),
                read: 0,
                limit,
            })),
        }
    }

    /// The length in bytes, when it is known.
    pub const fn length(&self) -> Option<u64> {
        match &self.state {
            State::Whole(bytes) => Some(bytes.len() as u64),
            State::Done => Some(0),
            State::Streaming(_) => None,
        }
    }
}

impl<B> Body for RelayBody<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
{
    type Data = Bytes;
    type Error = BodyFailure;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyFailure>>> {
        let this = self.get_mut();
        let (next, done) = match &mut this.state {
            State::Done => (None, true),
            State::Whole(bytes) => (Some(Ok(std::mem::take(bytes))), true),
            State::Streaming(stream) => ready!(stream.poll_next(cx)),
        };
        if done {
            this.state = State::Done;
        }
        Poll::Ready(next.map(|bytes| bytes.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.state, State::Done)
    }

    fn size_hint(&self) -> SizeHint {
        self.length().map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}

// === impl Streaming ===

impl<B> Streaming<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
{
    /// The next piece, and whether it is the last thing to come.
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<(Option<Result<Bytes, BodyFailure>>, bool)> {
        loop {
            let piece = match ready!(self.poll_piece(cx)) {
                Some(Ok(piece)) => piece,
                Some(Err(error)) => {
                    return Poll::Ready((Some(Err(BodyFailure::Interrupted(error))), true));
                }
                None => return Poll::Ready((self.end(), true)),
            };
            self.read += piece.len() as u64;
            if self.read > self.limit {
                let failure = BodyFailure::TooLarge { limit: self.limit };
                return Poll::Ready((Some(Err(failure)), true));
            }
            self.balance.read(&piece);
            let decided = self.rewriter.push(piece);
            if !decided.is_empty() {
                return Poll::Ready((Some(Ok(decided)), false));
            }
        }
    }

    fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, BoxError>>> {
        if let Some(beginning) = self.beginning.take() {
            return Poll::Ready(Some(Ok(beginning)));
        }
        loop {
            let Some(frame) = ready!(Pin::new(&mut self.rest).poll_frame(cx)) else {
                return Poll::Ready(None);
            };
            match frame.map(Frame::into_data) {
                Ok(Ok(data)) => return Poll::Ready(Some(Ok(data))),
                Ok(Err(_trailers)) => {}
                Err(error) => return Poll::Ready(Some(Err(error.into()))),
            }
        }
    }

    fn end(&mut self) -> Option<Result<Bytes, BodyFailure>> {
        if !self.balance.is_complete() {
            return Some(Err(BodyFailure::Truncated));
        }
        let last = self.rewriter.finish();
        (!last.is_empty()).then_some(Ok(last))
    }
}
