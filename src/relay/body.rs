//! The body on its way: held until complete when it fits, streamed when it does not.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Bytes, BytesMut};
use http::StatusCode;
use http_body::{Body, Frame, SizeHint};

use super::balance::Balance;
use super::envelope::enveloped_status;
use super::failure::{BoxError, OriginFailure};
use super::rewrite::Rewriter;
use super::shelf::{Shelf, Ticket};

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
    beginning: Option<(Bytes, Ticket)>,
    rest: B,
    rewriter: Rewriter,
    balance: Balance,
    read: u64,
    limit: u64,
    shelf: Shelf,
}

/// Why a body stops in the middle.
#[derive(Debug, thiserror::Error)]
pub enum BodyFailure {
    /// More than `limits.response_bytes`.
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
    let expected = usize::try_from(body.size_hint().lower()).map_or(room, |bytes| bytes.min(room));
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
            joined.reserve((first.len() + data.len()).max(expected.saturating_sub(joined.len())));
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
    /// The status inside an envelope, where all of it is here.
    pub fn enveloped_status(&self) -> Option<StatusCode> {
        match &self.state {
            State::Whole(bytes) => enveloped_status(bytes),
            State::Streaming(_) | State::Done => None,
        }
    }

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
    pub(super) fn streaming(beginning: Bytes, rest: B, rewriter: Rewriter, limit: u64, shelf: Shelf) -> Self {
        let ticket = shelf.ticket(beginning.len());
        Self {
            state: State::Streaming(Box::new(Streaming {
                beginning: Some((beginning, ticket)),
                rest,
                rewriter,
                balance: Balance::default(),
                read: 0,
                limit,
                shelf,
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
                return Poll::Ready((Some(Ok(self.shelf.put(decided))), false));
            }
        }
    }

    fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, BoxError>>> {
        // What becomes of it is counted when it is passed on.
        if let Some((beginning, _ticket)) = self.beginning.take() {
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

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::sync::Arc;

    use http_body_util::BodyExt;
    use url::Url;

    use super::*;
    use crate::relay::{Content, OriginRoot, RootNames, UrlMap};

    const URL: &str = r"http:\/\/h\/wp-json\/tribe\/events\/v1\/events";
    const PUBLIC: &str = r"https:\/\/e.example\/wp-json\/calendar\/events\/v1\/events";

    /// A body of these frames.
    #[derive(Debug)]
    struct Frames(VecDeque<Result<Frame<Bytes>, BoxError>>);

    impl Body for Frames {
        type Data = Bytes;
        type Error = BoxError;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _cx: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
            Poll::Ready(self.0.pop_front())
        }
    }

    fn frames(pieces: &[&str]) -> Frames {
        let data = pieces
            .iter()
            .map(|piece| Ok(Frame::data(Bytes::copy_from_slice(piece.as_bytes()))));
        Frames(data.collect())
    }

    fn broken(pieces: &[&str]) -> Frames {
        let mut frames = frames(pieces);
        frames.0.push_back(Err("connection reset".into()));
        frames
    }

    fn streaming(beginning: &str, rest: Frames, limit: u64) -> RelayBody<Frames> {
        let dialled = OriginRoot::from_setting(&Url::parse("http://h/wp-json").unwrap());
        let root = RootNames {
            public_path: "/wp-json".to_owned(),
            dialled,
            advertised: None,
        };
        let map = Arc::new(UrlMap::new(&[root], "tribe/events/v1", "calendar/events/v1"));
        let rewriter = Rewriter::new(&map, &Arc::from("https://e.example"), 0, Content::Records);
        RelayBody::streaming(
            Bytes::copy_from_slice(beginning.as_bytes()),
            rest,
            rewriter,
            limit,
            Shelf::new(usize::MAX),
        )
    }

    #[tokio::test]
    async fn a_body_that_fits_is_held_whole() {
        let mut body = frames(&["", "{\"a\"", ":", "1}"]);
        body.0.push_back(Ok(Frame::trailers(http::HeaderMap::new())));
        let Ok(Held::Whole(bytes)) = hold(body, 7).await else {
            panic!("seven bytes fit into seven");
        };
        assert_eq!(bytes, "{\"a\":1}");
    }

    #[tokio::test]
    async fn a_body_that_breaks_while_held_is_a_failure() {
        let failure = hold(broken(&["{"]), 10).await.unwrap_err();
        assert!(matches!(failure, OriginFailure::Interrupted(_)));
    }

    #[tokio::test]
    async fn a_larger_body_is_not_read_further_than_needed() {
        let Ok(Held::Beginning(bytes, rest)) = hold(frames(&["ab", "cd", "ef"]), 3).await else {
            panic!("four bytes do not fit into three");
        };
        assert_eq!((bytes.as_ref(), rest.0.len()), (b"abcd".as_slice(), 1));
    }

    #[tokio::test]
    async fn a_streamed_body_is_rewritten_across_frames() {
        let (left, right) = URL.split_at(20);
        let body = streaming(&format!("[\"{left}"), frames(&[right, "\"", "]"]), 1000);
        assert_eq!(body.length(), None);
        let text = body.collect().await.unwrap().to_bytes();
        assert_eq!(text, format!("[\"{PUBLIC}\"]"));
    }

    async fn first_error(body: &mut RelayBody<Frames>) -> Option<BodyFailure> {
        while let Some(frame) = body.frame().await {
            if let Err(failure) = frame {
                return Some(failure);
            }
        }
        None
    }

    #[tokio::test]
    async fn a_streamed_body_that_goes_wrong_ends_with_an_error() {
        for (rest, limit, name) in [
            (broken(&["1"]), 100, "the origin's answer broke off"),
            (frames(&["1"]), 100, "the origin's JSON document is cut off"),
            (frames(&["1", "]]"]), 100, "the origin's JSON document is cut off"),
            (frames(&["1]"]), 2, "the origin's answer is larger than 2 bytes"),
        ] {
            let mut body = streaming("[", rest, limit);
            let failure = first_error(&mut body).await.expect(name);
            assert_eq!(failure.to_string(), name);
            assert!(body.is_end_stream());
        }
    }

    #[tokio::test]
    async fn a_whole_body_knows_its_length() {
        let body = RelayBody::<Frames>::whole(Bytes::from_static(b"[]"));
        assert_eq!(body.size_hint().exact(), Some(2));
        assert_eq!(body.collect().await.unwrap().to_bytes(), "[]");
        assert!(RelayBody::<Frames>::none().is_end_stream());
    }
}
