//! A request body that records if it was read to its end.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::header::CONNECTION;
use http::{HeaderValue, Version};
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use pin_project_lite::pin_project;
use tower::Service;

use super::arrived_request::ArrivedRequest;
use super::noted::Noted;
use super::read_progress::ReadProgress;
use super::response::EdgeResponse;
use super::unread_body::read_on;
use crate::server::response::PlainResponse;
use crate::server::{ReceivedRequest, RequestFraming};
use calendar_edge_core::errors::Cause;
use calendar_edge_core::framing::Breach;

/// The body of a client's request; its trailers are dropped (T-29).
#[derive(Debug)]
pub(crate) struct ClientBody {
    /// None once it is dropped.
    inner: Option<Incoming>,
    progress: Arc<ReadProgress>,
    framing: Option<RequestFraming>,
}

/// The reason why a client's body is incomplete.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BodyError {
    /// Its framing is ambiguous.
    #[error("the framing of the body is broken")]
    Broken(Breach),
    /// The connection ended, or the stream was reset.
    #[error("the body ended early")]
    Ended(#[source] hyper::Error),
    /// Others waited for its place, and its client was the slowest.
    #[error("the body came slowly while others waited for its place")]
    GivenUp,
    /// It came below the minimum rate.
    #[error("the body came too slowly")]
    Slow,
    /// It is a form that may not pass.
    #[error("the form is refused")]
    Refused(Cause),
}

/// Adds `Connection: close` to responses to requests whose body was not read to its end.
///
/// Otherwise the rest of the body could be taken for a request (T-31).
#[derive(Debug, Clone)]
pub(super) struct WatchBody<S> {
    inner: S,
}

// === impl ClientBody ===

impl ClientBody {
    fn new(inner: Incoming, framing: Option<RequestFraming>) -> Self {
        Self {
            progress: Arc::new(ReadProgress::of(&inner)),
            inner: Some(inner),
            framing,
        }
    }

    fn error(&self, error: hyper::Error) -> BodyError {
        match self.framing.as_ref().and_then(RequestFraming::of_body) {
            Some(breach) => BodyError::Broken(breach),
            None => BodyError::Ended(error),
        }
    }
}

impl Body for ClientBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let this = self.get_mut();
        let Some(inner) = &mut this.inner else {
            return Poll::Ready(None);
        };
        loop {
            let frame = ready!(Pin::new(&mut *inner).poll_frame(cx));
            if frame.is_none() || inner.is_end_stream() {
                this.progress.ended();
            }
            match frame {
                Some(Ok(frame)) if frame.is_trailers() => {}
                Some(Err(error)) => return Poll::Ready(Some(Err(this.error(error)))),
                Some(Ok(frame)) => {
                    if let Some(data) = frame.data_ref() {
                        this.progress.read(data);
                    }
                    return Poll::Ready(Some(Ok(frame)));
                }
                None => return Poll::Ready(None),
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.inner.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        let nothing = || SizeHint::with_exact(0);
        self.inner.as_ref().map_or_else(nothing, Body::size_hint)
    }
}

impl Drop for ClientBody {
    fn drop(&mut self) {
        // Only requests over HTTP/1 have a framing.
        let is_stream = self.framing.is_none();
        if let Some(inner) = self.inner.take()
            && is_stream
            && !self.progress.is_at_end()
        {
            read_on(inner);
        }
    }
}

// === impl WatchBody ===

impl<S> WatchBody<S> {
    pub(super) const fn new(inner: S) -> Self {
        Self { inner }
    }
}

impl<S> Service<ReceivedRequest<Incoming>> for WatchBody<S>
where
    S: Service<Box<ArrivedRequest<ClientBody>>, Response = EdgeResponse, Error = Infallible>,
{
    type Response = PlainResponse;
    type Error = Infallible;
    type Future = WatchBodyFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, received: ReceivedRequest<Incoming>) -> Self::Future {
        // HTTP/2 streams end separately; only HTTP/1 has to close the connection.
        let closes = received.head.version != Version::HTTP_2;
        let (received, body) = received.split();
        let framing = received.framing;
        let mut request = Box::new(ArrivedRequest {
            head: received.head,
            body: ClientBody::new(body, framing.clone()),
            peer: received.peer,
            framing,
            context: Noted::default(),
        });
        let progress = Arc::clone(&request.body.progress);
        if !progress.is_at_end() {
            request.context.body = Some(Arc::clone(&progress));
        }
        WatchBodyFuture {
            progress: closes.then_some(progress),
            inner: self.inner.call(request),
        }
    }
}

pin_project! {
    /// Checks the body's state when the response is ready.
    pub(super) struct WatchBodyFuture<F> {
        #[pin]
        inner: F,
        progress: Option<Arc<ReadProgress>>,
    }
}

impl<F> Future for WatchBodyFuture<F>
where
    F: Future<Output = Result<EdgeResponse, Infallible>>,
{
    type Output = Result<PlainResponse, Infallible>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        this.inner.poll(cx).map_ok(|mut answer| {
            if this
                .progress
                .as_ref()
                .is_some_and(|progress| !progress.is_at_end())
            {
                answer
                    .headers_mut()
                    .insert(CONNECTION, HeaderValue::from_static("close"));
            }
            answer.into()
        })
    }
}
