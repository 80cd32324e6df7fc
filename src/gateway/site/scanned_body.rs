//! A body of which the beginning was read before it goes on to the rest of the site; a form is scanned on its way.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use super::min_rate_body::{MinRateBody, data_len};
use super::upload_body::UploadBody;
use crate::gateway::body::{BodyFault, BodyReader};
use crate::layers::BodyError;
use crate::server::bodies::{BodyHook, HookedBody, PolledFrame};
use crate::surface::FormGuard;
use calendar_edge_core::errors;
use calendar_edge_core::gateway::decision::{SiteFormScan, WHOLE_FORM_BYTES};

/// Passes the bytes of a body on; those of a form or a call once they are known to be harmless. Ends with an error
/// otherwise, so that the origin never gets a complete request.
pub(in crate::gateway) type ScannedBody = HookedBody<UploadBody, FormScan>;

/// The scan of a body of which a part was read before.
#[derive(Debug)]
pub(in crate::gateway) struct FormScan {
    /// None for a body that PHP reads no form from.
    form: Option<SiteFormScan>,
    /// The rules for the routes and methods that it names; none if there are no rules.
    guard: Option<FormGuard>,
    /// The bytes read before the body turned out to be large.
    begun: Option<Bytes>,
    /// The size of the whole body.
    size: SizeHint,
    is_finished: bool,
}

/// All of a small body; or the beginning of a large one with its rest, which may still be on its way.
pub(in crate::gateway) type FormStart = (Bytes, Option<MinRateBody>);

/// Ends a body once it turns out to be large.
struct Start {
    bytes: usize,
    is_whole: bool,
}

/// Reads a body until it ends or turns out to be large.
pub(in crate::gateway) async fn read_start(
    body: MinRateBody,
    reader: &BodyReader,
) -> Result<FormStart, BodyFault> {
    let largest = u64::try_from(WHOLE_FORM_BYTES).unwrap_or(u64::MAX);
    if body.size_hint().lower() > largest {
        return Ok((Bytes::new(), Some(body)));
    }
    begin(body, reader).await
}

/// Reads the beginning of a body that announces to be large, too.
pub(in crate::gateway) async fn begin(
    body: MinRateBody,
    reader: &BodyReader,
) -> Result<FormStart, BodyFault> {
    let hook = Start {
        bytes: 0,
        is_whole: false,
    };
    let mut start = HookedBody { body, hook };
    let bytes = reader.collect(&mut start).await?;
    let is_whole = start.hook.is_whole || start.body.is_end_stream() && bytes.len() <= WHOLE_FORM_BYTES;
    Ok((bytes, (!is_whole).then_some(start.body)))
}

// === impl Start ===

impl BodyHook<MinRateBody> for Start {
    type Error = BodyError;

    fn poll_frame(&mut self, body: Pin<&mut MinRateBody>, cx: &mut Context<'_>) -> PolledFrame<BodyError> {
        if self.bytes > WHOLE_FORM_BYTES {
            return Poll::Ready(None);
        }
        let frame = ready!(body.poll_frame(cx));
        self.is_whole = frame.is_none();
        self.bytes += data_len(frame.as_ref());
        Poll::Ready(frame)
    }

    /// The buffer for it grows with what comes.
    fn size_hint(&self, _: &MinRateBody) -> SizeHint {
        SizeHint::default()
    }
}

// === impl ScannedBody ===

impl ScannedBody {
    /// A body of which some bytes were read; `size` is that of all of it.
    pub(in crate::gateway) const fn new(
        form: Option<SiteFormScan>,
        guard: Option<FormGuard>,
        begun: Bytes,
        rest: UploadBody,
        size: SizeHint,
    ) -> Self {
        let hook = FormScan {
            form,
            guard,
            begun: Some(begun),
            size,
            is_finished: false,
        };
        Self { body: rest, hook }
    }
}

// === impl FormScan ===

impl FormScan {
    fn poll_client(
        &mut self,
        rest: Pin<&mut UploadBody>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, BodyError>>> {
        if let Some(begun) = self.begun.take() {
            return Poll::Ready(Some(Ok(begun)));
        }
        let frame = ready!(rest.poll_frame(cx));
        Poll::Ready(frame.map(|frame| self.open_to(frame?.into_data().unwrap_or_default())))
    }

    /// These bytes of the rest, unless they name a method that is closed.
    fn open_to(&mut self, piece: Bytes) -> Result<Bytes, BodyError> {
        let is_closed = |guard: &mut FormGuard| guard.closes_call(&piece);
        if self.guard.as_mut().is_some_and(is_closed) {
            return Err(BodyError::Refused(errors::CLOSED_METHOD_IN_CALL));
        }
        Ok(piece)
    }

    /// The bytes that may go on after these.
    fn scan(&mut self, piece: Option<Result<Bytes, BodyError>>) -> Result<Bytes, BodyError> {
        let piece = piece.transpose()?;
        self.is_finished = piece.is_none();
        let Some(form) = &mut self.form else {
            return Ok(piece.unwrap_or_default());
        };
        let scanned = match piece {
            Some(piece) => form.push(piece),
            None => form.finish(),
        };
        let scanned = scanned.map_err(BodyError::Refused)?;
        let is_closed = |guard: &FormGuard| scanned.routes.iter().any(|route| guard.closes(route));
        if self.guard.as_ref().is_some_and(is_closed) {
            return Err(BodyError::Refused(errors::CLOSED_ROUTE_IN_FORM));
        }
        Ok(scanned.cleared)
    }
}

impl BodyHook<UploadBody> for FormScan {
    type Error = BodyError;

    fn poll_frame(&mut self, mut rest: Pin<&mut UploadBody>, cx: &mut Context<'_>) -> PolledFrame<BodyError> {
        while !self.is_finished {
            let piece = ready!(self.poll_client(rest.as_mut(), cx));
            match self.scan(piece) {
                Ok(cleared) if cleared.is_empty() => {}
                Ok(cleared) => return Poll::Ready(Some(Ok(Frame::data(cleared)))),
                Err(error) => {
                    self.is_finished = true;
                    return Poll::Ready(Some(Err(error)));
                }
            }
        }
        Poll::Ready(None)
    }

    fn is_end_stream(&self, _: &UploadBody) -> bool {
        self.is_finished
    }

    fn size_hint(&self, _: &UploadBody) -> SizeHint {
        self.size
    }
}
