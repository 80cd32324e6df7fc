//! The body of an upload to the rest of the site, which gives way to others if its client is slow.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use super::min_rate_body::MinRateBody;
use crate::gateway::body::data_len;
use crate::layers::BodyError;
use crate::server::bodies::Upload;

/// A body that fails when it is given up for others.
#[derive(Debug)]
pub(in crate::gateway) struct UploadBody {
    body: MinRateBody,
    upload: Upload,
}

// === impl UploadBody ===

impl UploadBody {
    pub(in crate::gateway) const fn new(body: MinRateBody, upload: Upload) -> Self {
        Self { body, upload }
    }
}

impl Body for UploadBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let this = self.get_mut();
        let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(cx) else {
            return match this.upload.pauses(cx) {
                Ok(()) => Poll::Pending,
                Err(_) => Poll::Ready(Some(Err(BodyError::GivenUp))),
            };
        };
        this.upload.resumes(data_len(frame.as_ref()));
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
