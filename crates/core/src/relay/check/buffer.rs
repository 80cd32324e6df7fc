//! Reading a body until it ends or the buffer is full.

use std::future::poll_fn;
use std::pin::Pin;

use bytes::{Bytes, BytesMut};
use http_body::Body;

use crate::relay::failure::{BoxError, OriginFailure};

/// Bytes by which the last frame may exceed the buffer: what a client of HTTP/1 reads at once at most, rounded up.
const LAST_FRAME: usize = 512 * 1024;

/// The part of a body that was read.
#[derive(Debug)]
pub(super) enum Buffered<B> {
    /// The complete body.
    Whole(Bytes),
    /// The bytes read until the buffer was full, and the rest of the body.
    Beginning(Bytes, B),
}

/// Reads a body to its end, or until more than `size` bytes were read.
pub(super) async fn buffer<B>(mut body: B, size: usize) -> Result<Buffered<B>, OriginFailure>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
{
    // Memory that is not written costs nothing; moving a megabyte for the last frame does.
    let most = size.saturating_add(LAST_FRAME);
    let expected = usize::try_from(body.size_hint().lower()).map_or(most, |bytes| bytes.min(most));
    let mut first = Bytes::new();
    let mut joined = BytesMut::new();
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        let frame = frame.map_err(|error| OriginFailure::Interrupted(error.into()))?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        // Most responses arrive in one piece, which is then never copied.
        if first.is_empty() && joined.is_empty() {
            first = data;
        } else {
            joined.reserve((first.len() + data.len()).max(expected.saturating_sub(joined.len())));
            joined.extend_from_slice(&std::mem::take(&mut first));
            joined.extend_from_slice(&data);
        }
        if first.len() + joined.len() > size {
            return Ok(Buffered::Beginning(first_or(first, joined), body));
        }
    }
    Ok(Buffered::Whole(first_or(first, joined)))
}

fn first_or(first: Bytes, joined: BytesMut) -> Bytes {
    if joined.is_empty() { first } else { joined.freeze() }
}

// === impl Buffered ===

impl<B> Buffered<B> {
    /// The bytes that were read.
    pub(super) const fn bytes(&self) -> &Bytes {
        let (Self::Whole(bytes) | Self::Beginning(bytes, _)) = self;
        bytes
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
        let Ok(Buffered::Whole(bytes)) = buffer(body, 7).await else {
            panic!("seven bytes fit into seven");
        };
        assert_eq!(bytes, "{\"a\":1}");
    }

    #[tokio::test]
    async fn a_body_that_breaks_while_held_is_a_failure() {
        let failure = buffer(broken(&["{"]), 10).await.unwrap_err();
        assert!(matches!(failure, OriginFailure::Interrupted(_)));
    }

    #[tokio::test]
    async fn a_larger_body_is_not_read_further_than_needed() {
        let Ok(Buffered::Beginning(bytes, rest)) = buffer(frames(&["ab", "cd", "ef"]), 3).await else {
            panic!("four bytes do not fit into three");
        };
        assert_eq!((bytes.as_ref(), rest.0.len()), (b"abcd".as_slice(), 1));
    }
}
