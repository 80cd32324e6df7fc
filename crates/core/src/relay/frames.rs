//! A body made of given frames, for tests.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame};

use super::failure::BoxError;

/// A body of these frames.
#[derive(Debug)]
pub(super) struct Frames(pub(super) VecDeque<Result<Frame<Bytes>, BoxError>>);

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

/// Returns a body that ends after these pieces.
pub(super) fn frames(pieces: &[&str]) -> Frames {
    let data = pieces
        .iter()
        .map(|piece| Ok(Frame::data(Bytes::copy_from_slice(piece.as_bytes()))));
    Frames(data.collect())
}

/// Returns a body that breaks off after these pieces.
pub(super) fn broken(pieces: &[&str]) -> Frames {
    let mut frames = frames(pieces);
    frames.0.push_back(Err("connection reset".into()));
    frames
}
