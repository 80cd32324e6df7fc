//! A request body that records if it was read to its end.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::header::CONNECTION;
use http::{HeaderValue, Version};
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;

use super::access_record::LogSinks;
use super::around::AroundRequest;
use super::arrived_request::{ArrivalFacts, ArrivedRequest};
use super::proxy_reports::ProxyReports;
use super::read_progress::ReadProgress;
use super::response::EdgeResponse;
use super::unread_body::read_on;
use crate::server::{ReceivedRequest, RequestFraming};
use calendar_edge_core::framing::Breach;
use calendar_edge_judge::problem::OwnError;

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
    Refused(&'static OwnError),
}

/// Adds `Connection: close` to responses to requests whose body was not read to its end.
///
/// Otherwise the rest of the body could be taken for a request (T-31).
#[derive(Debug, Clone, Copy)]
pub(super) struct CloseUnread;

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

/// A request as its connection hands it over, with a body that is watched.
pub(super) fn arrived(
    received: ReceivedRequest<Incoming>,
    reports: &ProxyReports,
    sinks: &LogSinks,
) -> Box<ArrivedRequest<ClientBody>> {
    let ReceivedRequest {
        head,
        body,
        peer,
        framing,
        ..
    } = received;
    let body = ClientBody::new(body, framing.clone());
    let progress = &body.progress;
    let (client, id) = reports.read(&head.headers, peer);
    let context = ArrivalFacts {
        client,
        id,
        log: sinks.begin(&head.headers),
        body: (!progress.is_at_end()).then(|| Arc::clone(progress)),
    };
    Box::new(ArrivedRequest {
        head,
        body,
        peer,
        framing,
        context,
    })
}

// === impl CloseUnread ===

impl AroundRequest for CloseUnread {
    /// The progress of the body's reader; none where the connection goes on even with unread bytes.
    type Facts = Option<Arc<ReadProgress>>;

    fn request<B>(&self, request: &mut ArrivedRequest<B>) -> Self::Facts {
        // HTTP/2 streams end separately; only HTTP/1 has to close the connection.
        let body = request.context.body.clone();
        body.filter(|_| request.head.version != Version::HTTP_2)
    }

    fn response(progress: &mut Self::Facts, answer: &mut EdgeResponse) {
        if progress.as_ref().is_some_and(|progress| !progress.is_at_end()) {
            let close = HeaderValue::from_static("close");
            answer.headers_mut().insert(CONNECTION, close);
        }
    }
}

/// A body for tests of stages, whose client stays connected, and how much of it was read.
#[cfg(test)]
#[derive(Debug)]
pub(crate) struct SentBody {
    progress: Arc<ReadProgress>,
    _client: tokio::io::DuplexStream,
}

#[cfg(test)]
impl SentBody {
    /// A body that has arrived whole.
    pub(crate) async fn of(bytes: &str) -> (ClientBody, Self) {
        use tokio::io::AsyncWriteExt;

        let (mut client, server) = tokio::io::duplex(1 << 20);
        let head = format!("POST / HTTP/1.1\r\ncontent-length: {}\r\n\r\n", bytes.len());
        let sent = [head.as_bytes(), bytes.as_bytes()].concat();
        client.write_all(&sent).await.expect("a connection");
        let (give, given) = tokio::sync::oneshot::channel();
        let give = parking_lot::Mutex::new(Some(give));
        let service = hyper::service::service_fn(move |request: http::Request<Incoming>| {
            let _ = give.lock().take().map(|give| give.send(request.into_body()));
            std::future::pending::<Result<http::Response<String>, std::convert::Infallible>>()
        });
        let server = hyper_util::rt::TokioIo::new(server);
        let connection = hyper::server::conn::http1::Builder::new();
        tokio::spawn(connection.serve_connection(server, service));
        let body = ClientBody::new(given.await.expect("a request"), None);
        let progress = Arc::clone(&body.progress);
        let sent = Self {
            progress,
            _client: client,
        };
        (body, sent)
    }

    /// The bytes that were read.
    pub(crate) fn bytes_read(&self) -> u64 {
        self.progress.bytes()
    }
}
