//! The body of a client's response: complete, or streamed and rewritten on the way.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::vec;

use bytes::{Bytes, BytesMut};
use http_body::{Body, Frame, SizeHint};

use super::buffer_budget::{BufferBudget, Reservation};
use super::ends::Ends;
use super::failure::{BoxError, OriginFailure};
use super::rewrite::Rewriter;
use calendar_edge_judge::translation::MemberCutter;

/// The body of a relayed response.
///
/// Trailers are dropped. When polling returns an error, the client already has the status, so the connection
/// must be aborted and never ended cleanly.
#[derive(Debug)]
pub struct RelayBody<B> {
    /// The rest of a body that was read whole, in pieces.
    whole: vec::IntoIter<Bytes>,
    /// A body that is larger than the buffer; none once all of its bytes were sent.
    streaming: Option<Box<Streaming<B>>>,
}

#[derive(Debug)]
struct Streaming<B> {
    beginning: Option<(vec::IntoIter<Bytes>, Reservation)>,
    rest: B,
    filters: Vec<MemberCutter>,
    rewriter: Rewriter,
    ends: Ends,
    read: u64,
    limit: u64,
    budget: BufferBudget,
}

fn length(pieces: &[Bytes]) -> usize {
    pieces.iter().map(Bytes::len).sum()
}

// === impl RelayBody ===

impl<B> RelayBody<B> {
    /// Returns a complete body that is already rewritten.
    pub(super) fn whole(pieces: Vec<Bytes>) -> Self {
        Self {
            whole: pieces.into_iter(),
            streaming: None,
        }
    }

    /// Returns a body whose beginning was judged; the rest is streamed.
    pub(super) fn streaming(
        (beginning, rest): (Vec<Bytes>, B),
        filters: Vec<MemberCutter>,
        rewriter: Rewriter,
        limit: u64,
        budget: BufferBudget,
    ) -> Self {
        let reservation = budget.reserve(length(&beginning));
        Self {
            whole: vec::IntoIter::default(),
            streaming: Some(Box::new(Streaming {
                beginning: Some((beginning.into_iter(), reservation)),
                rest,
                filters,
                rewriter,
                ends: Ends::default(),
                read: 0,
                limit,
                budget,
            })),
        }
    }

    /// The length in bytes, if it is known.
    pub fn length(&self) -> Option<u64> {
        self.streaming
            .is_none()
            .then(|| length(self.whole.as_slice()) as u64)
    }
}

impl<B> Body for RelayBody<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
{
    type Data = Bytes;
    type Error = OriginFailure;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, OriginFailure>>> {
        let this = self.get_mut();
        let Some(stream) = &mut this.streaming else {
            return Poll::Ready(this.whole.next().map(|piece| Ok(Frame::data(piece))));
        };
        let (next, done) = ready!(stream.poll_next(cx));
        if done {
            this.streaming = None;
        }
        Poll::Ready(next.map(|bytes| bytes.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        self.streaming.is_none() && self.whole.len() == 0
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
    /// Returns the next piece, and true if nothing follows it.
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<(Option<Result<Bytes, OriginFailure>>, bool)> {
        loop {
            let piece = match ready!(self.poll_piece(cx)) {
                Some(Ok(piece)) => piece,
                Some(Err(error)) => {
                    return Poll::Ready((Some(Err(OriginFailure::Interrupted(error))), true));
                }
                None => return Poll::Ready((self.end(), true)),
            };
            self.read += piece.len() as u64;
            if self.read > self.limit {
                let failure = OriginFailure::TooLarge { limit: self.limit };
                return Poll::Ready((Some(Err(failure)), true));
            }
            self.ends.read(&piece);
            let filters = self.filters.iter_mut();
            let piece = filters.fold(piece, |piece, filter| filter.push(piece));
            let decided = self.rewriter.push(piece);
            if !decided.is_empty() {
                return Poll::Ready((Some(Ok(self.budget.count(decided))), false));
            }
        }
    }

    fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, BoxError>>> {
        if let Some(piece) = self.beginning.as_mut().and_then(|(pieces, _)| pieces.next()) {
            return Poll::Ready(Some(Ok(piece)));
        }
        // The reservation ends here; the rewritten form is counted when it is passed on.
        self.beginning = None;
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

    fn end(&mut self) -> Option<Result<Bytes, OriginFailure>> {
        if !self.ends.are_of_one_document() {
            return Some(Err(OriginFailure::Truncated));
        }
        let mut last = BytesMut::new();
        let mut filtered = Bytes::new();
        for filter in &mut self.filters {
            filtered = [filter.push(filtered), filter.finish()].concat().into();
        }
        last.extend_from_slice(&self.rewriter.push(filtered));
        last.extend_from_slice(&self.rewriter.finish());
        (!last.is_empty()).then(|| Ok(last.freeze()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use http_body_util::BodyExt;
    use url::Url;

    use super::*;
    use crate::relay::frames::{Frames, broken, frames};
    use crate::relay::rewrite::{Content, OriginRoot, RootNames, UrlMap};
    use crate::settings::Root;
    use calendar_edge_judge::contract::{PluginVersion, table};
    use calendar_edge_judge::translation::Translation;

    const URL: &str = r"http:\/\/h\/wp-json\/tribe\/events\/v1\/events";
    const PUBLIC: &str = r"https:\/\/e.example\/wp-json\/calendar\/events\/v1\/events";

    fn streaming(beginning: &str, rest: Frames, limit: u64) -> RelayBody<Frames> {
        filtered(beginning, rest, limit, Vec::new())
    }

    fn filtered(beginning: &str, rest: Frames, limit: u64, filters: Vec<MemberCutter>) -> RelayBody<Frames> {
        let dialled = OriginRoot::from_setting(&Url::parse("http://h/wp-json").unwrap());
        let root = RootNames {
            public_path: "/wp-json".to_owned(),
            dialled,
            advertised: None,
        };
        let map = Arc::new(UrlMap::new(&[root], "tribe/events/v1", "calendar/events/v1"));
        let rewriter = Rewriter::new(&map, &Arc::from("https://e.example"), 0, Content::Records);
        RelayBody::streaming(
            (vec![Bytes::copy_from_slice(beginning.as_bytes())], rest),
            filters,
            rewriter,
            limit,
            BufferBudget::new(usize::MAX),
        )
    }

    #[tokio::test]
    async fn a_streamed_body_is_rewritten_across_frames() {
        let (left, right) = URL.split_at(20);
        let body = streaming(&format!("[\"{left}"), frames(&[right, "\"", "]"]), 1000);
        assert_eq!(body.length(), None);
        let text = body.collect().await.unwrap().to_bytes();
        assert_eq!(text, format!("[\"{PUBLIC}\"]"));
    }

    #[tokio::test]
    async fn a_streamed_body_passes_the_filters_before_its_names_are_rewritten() {
        let version = PluginVersion::chosen("5.12").unwrap();
        let translation = Translation::new(version, Root::default().words);
        let filters = translation.members(table().named("events.list").unwrap());
        let filters = filters.map(|(filter, _)| filter).collect();
        let rest = frames(&[
            "\",\"custom_fie",
            "lds\":{\"currency_code\":1},\"cost\":{\"currency_code\":\"E\"}}",
        ]);
        let body = filtered(&format!("{{\"url\":\"{URL}"), rest, 1000, filters);
        let text = body.collect().await.unwrap().to_bytes();
        assert_eq!(text, format!("{{\"url\":\"{PUBLIC}\",\"cost\":[]}}"));
    }

    async fn first_error(body: &mut RelayBody<Frames>) -> Option<OriginFailure> {
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
            (broken(&["1"]), 100, "the origin's response broke off"),
            (frames(&["1"]), 100, "the JSON document is cut off"),
            (frames(&["1]", "<b>"]), 100, "the JSON document is cut off"),
            (frames(&["1]"]), 2, "the origin's response is larger than 2 bytes"),
        ] {
            let mut body = streaming("[", rest, limit);
            let failure = first_error(&mut body).await.expect(name);
            assert_eq!(failure.to_string(), name);
            assert!(body.is_end_stream());
        }
    }

    #[tokio::test]
    async fn a_whole_body_knows_its_length() {
        let pieces = ["[", "]"].map(|piece| Bytes::from_static(piece.as_bytes()));
        let body = RelayBody::<Frames>::whole(pieces.to_vec());
        assert_eq!(body.size_hint().exact(), Some(2));
        assert_eq!(body.collect().await.unwrap().to_bytes(), "[]");
        assert!(RelayBody::<Frames>::whole(Vec::new()).is_end_stream());
    }
}
