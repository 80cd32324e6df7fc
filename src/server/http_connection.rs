//! hyper on one client connection, for as long as there is something to do.
//!
//! hyper holds two buffers of 8 KiB for an HTTP/1 connection until its end, and has no setting for that. An idle
//! connection is therefore *parked*: hyper's connection ends without closing the socket, and a new one takes over
//! when the client sends again. The client notices nothing.
//! hyper does not promise that a stream can be used after such a shutdown; the tests of this module hold it.

use std::convert::Infallible;
use std::error::Error;
use std::future::{Future, poll_fn};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use http::{Request, Response};
use hyper::body::Incoming;
use hyper::service::Service;
use hyper_util::rt::TokioIo;
use hyper_util::server::conn::auto;
use tokio::io::AsyncWrite;

use super::detachable_io::{Attachable, DetachableIo};
use super::h2_stalls::StallWatch;
use super::inspected_io::InspectedIo;
use super::response_body::CountedBody;
use super::stream::ClientStream;

/// The bytes of a client as hyper reads and writes them.
pub(super) type ClientIo = TokioIo<DetachableIo<InspectedIo<ClientStream>>>;

type HyperConnection<'a, S> = auto::Connection<'a, ClientIo, S, StallWatch>;

/// The reason why a connection ended early.
pub(super) type BrokenConnection = Box<dyn Error + Send + Sync>;

/// The service that responds to the requests of a connection.
pub(super) trait ClientService:
    Service<Request<Incoming>, Response = Response<CountedBody>, Error = Infallible, Future: Send + 'static>
    + Clone
{
}

impl<S> ClientService for S where
    S: Service<
            Request<Incoming>,
            Response = Response<CountedBody>,
            Error = Infallible,
            Future: Send + 'static,
        > + Clone
{
}

/// A client connection until it ends.
pub(super) struct HttpConnection<'a, S: ClientService> {
    builder: &'a auto::Builder<StallWatch>,
    service: S,
    stream: Arc<Attachable<InspectedIo<ClientStream>>>,
    /// `None` while the connection is parked, as it is before the client has sent anything.
    hyper: Option<Pin<Box<HyperConnection<'a, S>>>>,
    /// True if the connection ends after its running requests.
    pub(super) is_closing: bool,
}

impl<'a, S: ClientService> HttpConnection<'a, S> {
    pub(super) fn new(
        builder: &'a auto::Builder<StallWatch>,
        service: S,
        stream: InspectedIo<ClientStream>,
    ) -> Self {
        Self {
            builder,
            service,
            stream: Attachable::new(stream),
            hyper: None,
            is_closing: false,
        }
    }

    fn resume(&mut self, stream: DetachableIo<InspectedIo<ClientStream>>) {
        let stream = TokioIo::new(stream);
        let connection = self.builder.serve_connection(stream, self.service.clone());
        self.hyper = Some(Box::pin(connection));
    }

    /// Ends the connection when its running requests have their responses.
    pub(super) fn close(&mut self) {
        self.is_closing = true;
        if let Some(hyper) = &mut self.hyper {
            hyper.as_mut().graceful_shutdown();
        }
    }

    /// Parks an HTTP/1 connection between two requests.
    ///
    /// A connection with unsent bytes is not parked: hyper would drop them. Neither is one without a request.
    ///
    /// # Errors
    ///
    /// Those of the connection, which may end at this moment.
    pub(super) async fn park(&mut self) -> Result<(), BrokenConnection> {
        let Some(hyper) = self.hyper.as_mut().filter(|_| self.stream.is_flushed()) else {
            return Ok(());
        };
        self.stream.keep_open(true);
        hyper.as_mut().graceful_shutdown();
        let ended = poll_fn(|cx| Poll::Ready(hyper.as_mut().poll(cx))).await;
        self.stream.keep_open(false);
        if let Poll::Ready(ended) = ended {
            self.hyper = None;
            ended?;
        }
        Ok(())
    }

    /// hyper takes it for an error when a connection is closed before its first request is complete.
    fn unless_closed(&self, error: BrokenConnection) -> Result<(), BrokenConnection> {
        let kind = error.downcast_ref().map(io::Error::kind);
        if self.is_closing && kind == Some(io::ErrorKind::Interrupted) {
            Ok(())
        } else {
            Err(error)
        }
    }

    /// Ready when the client of a parked connection has sent something, or is gone.
    fn poll_sent(&self, cx: &mut Context<'_>) -> Poll<()> {
        let stream = self.stream.returned();
        stream
            .as_ref()
            .map_or(Poll::Ready(()), |stream| stream.poll_sent(cx))
    }

    /// Closes the socket of a parked connection.
    fn poll_shutdown(&self, cx: &mut Context<'_>) -> Poll<Result<(), BrokenConnection>> {
        let mut stream = self.stream.returned();
        match stream.as_mut() {
            Some(stream) => Pin::new(stream).poll_shutdown(cx).map_err(Into::into),
            None => Poll::Ready(Ok(())),
        }
    }
}

// The service is called and cloned, never polled.
impl<S: ClientService> Unpin for HttpConnection<'_, S> {}

impl<S: ClientService> Future for HttpConnection<'_, S> {
    type Output = Result<(), BrokenConnection>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        loop {
            if let Some(hyper) = &mut this.hyper {
                let ended = ready!(hyper.as_mut().poll(cx));
                return Poll::Ready(ended.or_else(|error| this.unless_closed(error)));
            } else if this.is_closing {
                return this.poll_shutdown(cx);
            }
            ready!(this.poll_sent(cx));
            match this.stream.attach() {
                Some(stream) => this.resume(stream),
                None => return Poll::Ready(Ok(())),
            }
        }
    }
}

#[cfg(test)]
#[path = "http_connection_tests.rs"]
mod tests;
