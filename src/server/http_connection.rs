//! hyper on one client connection, for as long as there is something to do.
//!
//! hyper holds two buffers of 8 KiB for an HTTP/1 connection until its end, and has no setting for that. An idle
//! connection is therefore *parked*: hyper's connection ends without closing the socket, and a new one takes over
//! when the client has sent another head. The client notices nothing.

use std::convert::Infallible;
use std::error::Error;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::Service;
use hyper_util::rt::TokioIo;
use tokio::io::AsyncWrite;

use super::activity::Activity;
use super::h2_stalls::StallWatch;
use super::inspected_io::InspectedIo;
use super::response_body::CountedBody;
use super::stream::ClientStream;

/// The bytes of a client as hyper reads and writes them.
type ClientIo = TokioIo<Box<InspectedIo<ClientStream>>>;

/// The reason why a connection ended early.
pub(super) type BrokenConnection = Box<dyn Error + Send + Sync>;

/// The service that responds to the requests of a connection.
pub(super) trait ClientService:
    Service<
        Request<Incoming>,
        Response = Response<CountedBody>,
        Error = Infallible,
        Future: Send + Unpin + 'static,
    > + Clone
    + Unpin
{
}

impl<S> ClientService for S where
    S: Service<
            Request<Incoming>,
            Response = Response<CountedBody>,
            Error = Infallible,
            Future: Send + Unpin + 'static,
        > + Clone
        + Unpin
{
}

/// hyper's settings for both versions of the protocol.
#[derive(Debug, Clone)]
pub(super) struct HttpBuilders {
    pub(super) http1: http1::Builder,
    pub(super) http2: http2::Builder<StallWatch>,
}

/// A client connection until it ends.
pub(super) struct HttpConnection<'a, S: ClientService> {
    builders: &'a HttpBuilders,
    service: S,
    activity: Arc<Activity>,
    /// The stream while the connection is parked, as it is before the client has sent a head.
    parked: Option<Box<InspectedIo<ClientStream>>>,
    hyper: Option<HyperConnection<S>>,
    /// True if the connection ends after its running requests.
    pub(super) is_closing: bool,
}

/// hyper's connection, which has the stream.
enum HyperConnection<S: ClientService> {
    Http1(Box<http1::Connection<ClientIo, S>>),
    Http2(Box<http2::Connection<ClientIo, S, StallWatch>>),
}

impl<'a, S: ClientService> HttpConnection<'a, S> {
    pub(super) fn new(
        builders: &'a HttpBuilders,
        service: S,
        stream: InspectedIo<ClientStream>,
        activity: Arc<Activity>,
    ) -> Self {
        Self {
            builders,
            service,
            activity,
            parked: Some(Box::new(stream)),
            hyper: None,
            is_closing: false,
        }
    }

    fn resume(&mut self, stream: Box<InspectedIo<ClientStream>>) {
        let service = self.service.clone();
        let is_http2 = stream.is_http2();
        let stream = TokioIo::new(stream);
        self.hyper = Some(if is_http2 {
            HyperConnection::Http2(Box::new(self.builders.http2.serve_connection(stream, service)))
        } else {
            HyperConnection::Http1(Box::new(self.builders.http1.serve_connection(stream, service)))
        });
    }

    /// Ends the connection when its running requests have their responses.
    pub(super) fn close(&mut self) {
        self.is_closing = true;
        match &mut self.hyper {
            Some(HyperConnection::Http1(hyper)) => Pin::new(&mut **hyper).graceful_shutdown(),
            Some(HyperConnection::Http2(hyper)) => Pin::new(&mut **hyper).graceful_shutdown(),
            None => {}
        }
    }

    /// Parks an HTTP/1 connection between two requests.
    ///
    /// A connection with unsent bytes is not parked: hyper would drop them.
    ///
    /// # Errors
    ///
    /// Those of the connection, which may end at this moment.
    pub(super) async fn park(&mut self) -> Result<(), BrokenConnection> {
        let Some(HyperConnection::Http1(hyper)) = &mut self.hyper else {
            return Ok(());
        };
        if !self.activity.is_flushed() {
            return Ok(());
        }
        Pin::new(&mut **hyper).graceful_shutdown();
        let ended = poll_fn(|cx| Poll::Ready(hyper.poll_without_shutdown(cx))).await;
        if let Poll::Ready(ended) = ended {
            ended?;
            if let Some(HyperConnection::Http1(hyper)) = self.hyper.take() {
                self.parked = Some(hyper.into_parts().io.into_inner());
            }
        }
        Ok(())
    }
}

impl<S: ClientService> Future for HttpConnection<'_, S> {
    type Output = Result<(), BrokenConnection>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        loop {
            match &mut this.hyper {
                Some(HyperConnection::Http1(hyper)) => return Pin::new(hyper).poll(cx).map_err(Into::into),
                Some(HyperConnection::Http2(hyper)) => return Pin::new(hyper).poll(cx).map_err(Into::into),
                None => {}
            }
            let Some(parked) = &mut this.parked else {
                return Poll::Ready(Ok(()));
            };
            if this.is_closing {
                return Pin::new(parked).poll_shutdown(cx).map_err(Into::into);
            }
            ready!(parked.poll_begun(cx))?;
            if let Some(stream) = this.parked.take() {
                this.resume(stream);
            }
        }
    }
}

#[cfg(test)]
#[path = "http_connection_tests.rs"]
mod tests;
