//! A body that is compressed while it passes.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::HeaderMap;
use http_body::{Body, Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::encoder::{Encoder, FAST};
use crate::server::bodies::{BodyHook, HookedBody, PolledFrame};
use crate::server::response::{BoxError, EdgeBody};
use calendar_edge_core::cache::compression::Coding;

/// The codecs that may be at work at the same time.
///
/// A codec keeps up to half a MiB as long as its client reads. Responses beyond the bound leave as they are.
#[derive(Debug, Clone)]
pub(crate) struct Encoders(Arc<Semaphore>);

/// A body that is compressed while it passes.
pub(crate) type CompressedBody = HookedBody<EdgeBody, Compressing>;

/// A codec at work.
pub(crate) struct Compressing {
    /// With the permit to be at work.
    encoder: Option<(Encoder, OwnedSemaphorePermit)>,
    trailers: Option<HeaderMap>,
}

// === impl Encoders ===

impl Encoders {
    /// The most codecs at work.
    const MOST: usize = 32;

    /// The compressed form of a body; the body itself if too many are at work.
    ///
    /// # Errors
    ///
    /// The body, unchanged, if it has to leave as it is.
    pub(crate) fn compress(&self, body: EdgeBody, coding: Coding) -> Result<CompressedBody, EdgeBody> {
        let Ok(permit) = Arc::clone(&self.0).try_acquire_owned() else {
            return Err(body);
        };
        match Encoder::new(coding, &FAST) {
            Ok(encoder) => {
                let hook = Compressing {
                    encoder: Some((encoder, permit)),
                    trailers: None,
                };
                Ok(HookedBody { body, hook })
            }
            Err(error) => {
                tracing::warn!(%error, coding = coding.name(), "a codec does not start");
                Err(body)
            }
        }
    }
}

impl Default for Encoders {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(Self::MOST)))
    }
}

// === impl Compressing ===

impl Compressing {
    /// Takes more of the body. The codec ends with it, so that a body that came whole keeps no codec.
    fn push(&mut self, bytes: &[u8], is_end: bool) -> io::Result<Bytes> {
        let Some((encoder, _)) = &mut self.encoder else {
            return Ok(Bytes::new());
        };
        let begun = encoder.push(bytes)?;
        if !is_end {
            return Ok(begun);
        }
        let rest = self.finish()?;
        Ok(if begun.is_empty() {
            rest
        } else {
            [begun, rest].concat().into()
        })
    }

    fn finish(&mut self) -> io::Result<Bytes> {
        self.encoder
            .take()
            .map_or(Ok(Bytes::new()), |(encoder, _)| encoder.finish())
    }
}

impl BodyHook<EdgeBody> for Compressing {
    type Error = BoxError;

    fn poll_frame(&mut self, mut body: Pin<&mut EdgeBody>, cx: &mut Context<'_>) -> PolledFrame<BoxError> {
        while self.encoder.is_some() {
            let made = match ready!(body.as_mut().poll_frame(cx)) {
                Some(Err(error)) => {
                    // The rest would make half a body look whole.
                    self.encoder = None;
                    return Poll::Ready(Some(Err(error)));
                }
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(bytes) => self.push(&bytes, body.is_end_stream()),
                    Err(other) => {
                        self.trailers = other.into_trailers().ok();
                        self.finish()
                    }
                },
                None => self.finish(),
            };
            match made {
                Ok(bytes) if bytes.is_empty() => {}
                Ok(bytes) => return Poll::Ready(Some(Ok(Frame::data(bytes)))),
                Err(error) => {
                    self.encoder = None;
                    return Poll::Ready(Some(Err(error.into())));
                }
            }
        }
        Poll::Ready(self.trailers.take().map(|trailers| Ok(Frame::trailers(trailers))))
    }

    fn is_end_stream(&self, _: &EdgeBody) -> bool {
        self.encoder.is_none() && self.trailers.is_none()
    }

    fn size_hint(&self, _: &EdgeBody) -> SizeHint {
        SizeHint::default()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::stream;
    use http_body_util::{BodyExt, StreamBody};

    use super::super::encoder::tests::plain;
    use super::*;
    use crate::server::response::whole;

    fn streamed(frames: Vec<Result<Frame<Bytes>, BoxError>>) -> EdgeBody {
        StreamBody::new(stream::iter(frames)).boxed_unsync()
    }

    async fn made(body: EdgeBody, coding: Coding) -> Result<(Vec<u8>, Option<HeaderMap>), BoxError> {
        let Ok(body) = Encoders::default().compress(body, coding) else {
            panic!("no codec is at work");
        };
        let collected = body.collect().await?;
        let trailers = collected.trailers().cloned();
        Ok((collected.to_bytes().to_vec(), trailers))
    }

    #[tokio::test]
    async fn whole_and_streamed_bodies_are_the_same_answer() {
        let text = "calendar ".repeat(5000);
        for coding in Coding::ALL {
            let (form, _) = made(whole(text.clone().into()), coding).await.unwrap();
            assert_eq!(plain(coding, &form), text.as_bytes());
            let pieces = text.as_bytes().chunks(777);
            let frames = pieces.map(|piece| Ok(Frame::data(Bytes::copy_from_slice(piece))));
            let mut frames: Vec<_> = frames.collect();
            let mut trailers = HeaderMap::new();
            trailers.insert("x-end", http::HeaderValue::from_static("1"));
            frames.push(Ok(Frame::trailers(trailers.clone())));
            let (form, found) = made(streamed(frames), coding).await.unwrap();
            assert_eq!(plain(coding, &form), text.as_bytes());
            assert_eq!(found, Some(trailers));
        }
    }

    #[tokio::test]
    async fn a_body_that_came_whole_keeps_no_codec() {
        let encoders = Encoders::default();
        let Ok(mut body) = encoders.compress(whole("x".repeat(9000).into()), Coding::Gzip) else {
            panic!("no codec is at work");
        };
        assert_eq!(encoders.0.available_permits(), Encoders::MOST - 1);
        assert!(body.frame().await.unwrap().is_ok());
        assert_eq!(encoders.0.available_permits(), Encoders::MOST);
        assert!(body.is_end_stream());
    }

    #[tokio::test]
    async fn a_body_that_breaks_never_looks_whole() {
        let frames = vec![
            Ok(Frame::data(Bytes::from(vec![b'x'; 4000]))),
            Err(BoxError::from("broken")),
        ];
        assert!(made(streamed(frames), Coding::Brotli).await.is_err());
    }

    #[test]
    fn codecs_are_bounded() {
        let encoders = Encoders::default();
        let working: Vec<_> = (0..Encoders::MOST)
            .map(|_| {
                encoders
                    .compress(EdgeBody::default(), Coding::Gzip)
                    .map_err(|_| ())
            })
            .collect();
        assert!(working.iter().all(Result::is_ok));
        assert!(encoders.compress(EdgeBody::default(), Coding::Gzip).is_err());
        drop(working);
        assert!(encoders.compress(EdgeBody::default(), Coding::Gzip).is_ok());
    }
}
