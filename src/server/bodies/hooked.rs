//! A body with a hook between it and its reader.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

/// The next frame, the end, or the failure of a body.
pub(crate) type PolledFrame<E> = Poll<Option<Result<Frame<Bytes>, E>>>;

/// A body whose frames pass a hook.
#[derive(Debug)]
pub(crate) struct HookedBody<B, H> {
    pub(crate) body: B,
    pub(crate) hook: H,
}

/// Watches, changes or ends a body on its way.
pub(crate) trait BodyHook<B: Body> {
    /// The reason why the body ends early.
    type Error;

    /// Polls the body, and returns its reader's next frame.
    fn poll_frame(&mut self, body: Pin<&mut B>, cx: &mut Context<'_>) -> PolledFrame<Self::Error>;

    /// Returns true if no frame follows. The hook of a body that has other frames than `body` has to find that itself.
    fn is_end_stream(&self, body: &B) -> bool {
        body.is_end_stream()
    }

    /// The bounds of the bytes that follow, with the same duty.
    fn size_hint(&self, body: &B) -> SizeHint {
        body.size_hint()
    }
}

impl<B, H> Body for HookedBody<B, H>
where
    B: Body + Unpin,
    H: BodyHook<B> + Unpin,
{
    type Data = Bytes;
    type Error = H::Error;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PolledFrame<H::Error> {
        let this = self.get_mut();
        this.hook.poll_frame(Pin::new(&mut this.body), cx)
    }

    fn is_end_stream(&self) -> bool {
        self.hook.is_end_stream(&self.body)
    }

    fn size_hint(&self) -> SizeHint {
        self.hook.size_hint(&self.body)
    }
}
