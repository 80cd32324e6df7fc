//! A form that is scanned on its way to the rest of the site.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use super::min_rate_body::MinRateBody;
use super::upload_body::UploadBody;
use crate::gateway::body::{BodyFault, BodyReader, data_len};
use crate::layers::BodyError;
use calendar_edge_core::gateway::decision::{SiteFormScan, WHOLE_FORM_BYTES};

/// Passes the bytes of a form on once they are known to be harmless. Ends with an error otherwise, so that the
/// origin never gets a complete request.
#[derive(Debug)]
pub(in crate::gateway) struct ScannedBody {
    scan: SiteFormScan,
    /// What was read before the form turned out to be large.
    begun: Option<Bytes>,
    rest: UploadBody,
    size: SizeHint,
    is_finished: bool,
}

/// A form, as far as it was read.
pub(in crate::gateway) enum FormStart {
    /// It is small, and complete.
    Whole(Bytes),
    /// It is large; the rest may still be on its way.
    Begun(Bytes, MinRateBody),
}

/// A body that ends once it turns out to be large.
struct Start {
    body: MinRateBody,
    bytes: usize,
    is_whole: bool,
}

// === impl FormStart ===

impl FormStart {
    /// Reads a form until it ends or turns out to be large.
    pub(in crate::gateway) async fn read(body: MinRateBody, reader: &BodyReader) -> Result<Self, BodyFault> {
        let largest = u64::try_from(WHOLE_FORM_BYTES).unwrap_or(u64::MAX);
        if body.size_hint().lower() > largest {
            return Ok(Self::Begun(Bytes::new(), body));
        }
        let mut start = Start {
            body,
            bytes: 0,
            is_whole: false,
        };
        let bytes = reader.collect(&mut start).await?;
        Ok(
            if start.is_whole || start.body.is_end_stream() && bytes.len() <= WHOLE_FORM_BYTES {
                Self::Whole(bytes)
            } else {
                Self::Begun(bytes, start.body)
            },
        )
    }
}

// === impl Start ===

impl Body for Start {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let this = self.get_mut();
        if this.bytes > WHOLE_FORM_BYTES {
            return Poll::Ready(None);
        }
        let frame = ready!(Pin::new(&mut this.body).poll_frame(cx));
        this.is_whole = frame.is_none();
        this.bytes += data_len(frame.as_ref());
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }
}

// === impl ScannedBody ===

impl ScannedBody {
    /// A form of which some bytes were read; `size` is that of all of it.
    pub(in crate::gateway) const fn new(
        scan: SiteFormScan,
        begun: Bytes,
        rest: UploadBody,
        size: SizeHint,
    ) -> Self {
        Self {
            scan,
            begun: Some(begun),
            rest,
            size,
            is_finished: false,
        }
    }

    fn poll_client(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, BodyError>>> {
        if let Some(begun) = self.begun.take() {
            return Poll::Ready(Some(Ok(begun)));
        }
        let frame = ready!(Pin::new(&mut self.rest).poll_frame(cx));
        Poll::Ready(frame.map(|frame| frame.map(|frame| frame.into_data().unwrap_or_default())))
    }

    /// The bytes that may go on after these.
    fn scan(&mut self, piece: Option<Result<Bytes, BodyError>>) -> Result<Bytes, BodyError> {
        let piece = piece.transpose()?;
        self.is_finished = piece.is_none();
        let cleared = match piece {
            Some(piece) => self.scan.push(piece),
            None => self.scan.finish(),
        };
        cleared.map_err(BodyError::Refused)
    }
}

impl Body for ScannedBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let this = self.get_mut();
        while !this.is_finished {
            let piece = ready!(this.poll_client(cx));
            match this.scan(piece) {
                Ok(cleared) if cleared.is_empty() => {}
                Ok(cleared) => return Poll::Ready(Some(Ok(Frame::data(cleared)))),
                Err(error) => {
                    this.is_finished = true;
                    return Poll::Ready(Some(Err(error)));
                }
            }
        }
        Poll::Ready(None)
    }

    fn is_end_stream(&self) -> bool {
        self.is_finished
    }

    fn size_hint(&self) -> SizeHint {
        self.size
    }
}
