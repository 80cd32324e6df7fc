//! The beginning of a response's body, read before the response goes on to the client.

use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt, stream};
use http_body::Frame;
use http_body_util::{BodyExt, BodyStream, StreamBody};

use crate::layers::EdgeResponse;
use crate::server::response::BoxError;

/// The first bytes of a body, with the frames that they came in.
#[derive(Default)]
pub(super) struct BodyStart {
    frames: Vec<Result<Frame<Bytes>, BoxError>>,
    /// The bytes, as far as they were read.
    pub(super) bytes: BytesMut,
    /// True if there are no more.
    pub(super) is_whole: bool,
}

// === impl BodyStart ===

impl BodyStart {
    /// Reads until so many bytes have come. The rest is relayed as it comes.
    pub(super) async fn read(answer: &mut EdgeResponse, most: usize) -> Self {
        let mut start = Self::default();
        while start.bytes.len() < most {
            let Some(frame) = answer.body_mut().frame().await else {
                start.is_whole = true;
                break;
            };
            if let Some(data) = frame.as_ref().ok().and_then(Frame::data_ref) {
                start.bytes.extend_from_slice(data);
            }
            let is_broken = frame.is_err();
            start.frames.push(frame);
            if is_broken {
                break;
            }
        }
        start
    }

    /// The response from the beginning of its body.
    pub(super) fn back_into(self, answer: EdgeResponse) -> EdgeResponse {
        if self.frames.is_empty() {
            return answer;
        }
        let frames = stream::iter(self.frames);
        answer.map(|rest| StreamBody::new(frames.chain(BodyStream::new(rest))).boxed_unsync())
    }
}
