//! Reading a body until it ends or the buffer is full.

use std::future::poll_fn;
use std::pin::Pin;

use bytes::{Bytes, BytesMut};
use http_body::Body;

use super::document::{trimmed, without_byte_order_marks};
use crate::relay::failure::{BoxError, OriginFailure};

/// Minimum bytes of a piece that stays as it is. Of small ones, each would take more memory than it carries.
const LARGE: usize = 8 * 1024;

/// The part of a body that was read.
#[derive(Debug)]
pub(super) struct Buffered<B> {
    /// Its bytes, in the pieces in which they arrived.
    pub(super) pieces: Vec<Bytes>,
    /// The rest of the body, if the buffer was full before its end.
    pub(super) rest: Option<B>,
}

/// Reads a body to its end, or until more than `size` bytes were read.
pub(super) async fn buffer<B>(mut body: B, size: usize) -> Result<Buffered<B>, OriginFailure>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
{
    let (mut pieces, mut small, mut read) = (Vec::new(), BytesMut::new(), 0);
    let mut rest = None;
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        let frame = frame.map_err(|error| OriginFailure::Interrupted(error.into()))?;
        let data = frame.into_data().unwrap_or_default();
        if data.is_empty() {
            continue;
        }
        read += data.len();
        // Most responses arrive in one piece, which is never copied.
        if pieces.is_empty() || data.len() >= LARGE {
            pieces.extend((!small.is_empty()).then(|| small.split().freeze()));
            pieces.push(data);
        } else {
            small.extend_from_slice(&data);
        }
        if read > size {
            rest = Some(body);
            break;
        }
    }
    pieces.extend((!small.is_empty()).then(|| small.freeze()));
    Ok(Buffered { pieces, rest })
}

// === impl Buffered ===

impl<B> Buffered<B> {
    /// The number of bytes that were read.
    pub(super) fn len(&self) -> usize {
        self.pieces.iter().map(Bytes::len).sum()
    }

    /// The first bytes and the last ones.
    pub(super) fn ends(&self) -> (&[u8], &[u8]) {
        let first = self.pieces.first().map_or(&[][..], AsRef::as_ref);
        (first, self.pieces.last().map_or(first, AsRef::as_ref))
    }

    /// Takes byte order marks away that precede the document; true if there was one.
    pub(super) fn take_byte_order_marks(&mut self) -> bool {
        // The first piece may end within a mark.
        if trimmed(self.ends().0).first() != Some(&0xef) {
            return false;
        }
        let whole = joined(&self.pieces);
        let document = whole.slice_ref(without_byte_order_marks(&whole));
        let has_mark = document.len() < whole.len();
        self.pieces = vec![document];
        has_mark
    }

    /// Joins the pieces, and returns the bytes.
    pub(super) fn join(&mut self) -> &[u8] {
        if self.pieces.len() > 1 {
            self.pieces = vec![joined(&self.pieces)];
        }
        self.ends().0
    }
}

/// The bytes of all pieces in one.
pub(in crate::relay) fn joined(pieces: &[Bytes]) -> Bytes {
    match pieces {
        [whole] => whole.clone(),
        pieces => pieces.concat().into(),
    }
}

#[cfg(test)]
mod tests {
    use http_body::Frame;

    use super::*;
    use crate::relay::frames::{broken, frames};

    #[tokio::test]
    async fn a_body_that_fits_is_held_whole() {
        let mut body = frames(&["", "{\"a\"", ":", "1}"]);
        body.0.push_back(Ok(Frame::trailers(http::HeaderMap::new())));
        let mut buffered = buffer(body, 7).await.unwrap();
        assert!(buffered.rest.is_none());
        assert_eq!(buffered.join(), b"{\"a\":1}");
    }

    #[tokio::test]
    async fn a_byte_order_mark_is_taken_away_wherever_pieces_end() {
        let parts = |parts: &[&'static [u8]]| Buffered::<()> {
            pieces: parts.iter().copied().map(Bytes::from_static).collect(),
            rest: None,
        };
        for (pieces, had_mark) in [
            (&[&b"\xef\xbb\xbf{}"[..]][..], true),
            (&[b"\xef", b"\xbb\xbf{", b"}"], true),
            (&[b"\n\xef\xbb\xbf\xef\xbb\xbf", b"{}"], true),
            (&[b"{", b"}"], false),
        ] {
            let mut buffered = parts(pieces);
            assert_eq!(buffered.take_byte_order_marks(), had_mark, "{pieces:?}");
            assert_eq!(buffered.join(), b"{}", "{pieces:?}");
        }
        let mut other = parts(&[b"\xef\xbc\xa1"]);
        assert!(!other.take_byte_order_marks());
    }

    #[tokio::test]
    async fn a_body_that_breaks_while_held_is_a_failure() {
        let failure = buffer(broken(&["{"]), 10).await.unwrap_err();
        assert!(matches!(failure, OriginFailure::Interrupted(_)));
    }

    #[tokio::test]
    async fn a_larger_body_is_not_read_further_than_needed() {
        let mut buffered = buffer(frames(&["ab", "cd", "ef"]), 3).await.unwrap();
        let left = buffered.rest.take().expect("four bytes do not fit into three");
        assert_eq!((buffered.join(), left.0.len()), (b"abcd".as_slice(), 1));
    }

    #[tokio::test]
    async fn large_pieces_stay_and_small_ones_are_joined() {
        let large = "x".repeat(LARGE);
        let sent = ["a", "b", "c", &large, &large, "d", "e"];
        let mut buffered = buffer(frames(&sent), usize::MAX).await.unwrap();
        let lengths: Vec<usize> = buffered.pieces.iter().map(Bytes::len).collect();
        assert_eq!(lengths, [1, 2, LARGE, LARGE, 2]);
        assert_eq!(buffered.len(), 2 * LARGE + 5);
        assert_eq!(buffered.join(), sent.concat().as_bytes());
    }
}
