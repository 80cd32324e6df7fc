//! Accepting connections on a listener and bringing them to an end.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use http::Request;
use hyper::body::Incoming;
use tokio::sync::watch;
use tower::Service;

use super::accept::{AcceptFault, open};
use super::connection::Protocol;
use super::drain::Drain;
use super::listener::{Arriving, Listener};
use super::peer::Peer;
use super::per_address::PerAddressLimit;
use super::proxy_header::HeaderFault;
use crate::response::EdgeResponse;

/// The first and the longest pause after a failed accept: descriptors come back when connections end.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(1));

/// How long the queue of connections that have not been accepted is emptied at the end.
const TAIL: Duration = Duration::from_millis(50);

/// Room for connections, shared by the listeners of one edge.
#[derive(Debug, Clone)]
pub(crate) struct ConnectionLimit(Arc<watch::Sender<Occupancy>>);

/// How many connections are open, and how many may be.
#[derive(Debug, Clone, Copy)]
struct Occupancy {
    open: usize,
    limit: usize,
}

/// The place of one connection; free again when dropped.
#[derive(Debug)]
struct ConnectionPermit(ConnectionLimit);

/// What every connection of one listener is served with.
#[derive(Debug, Clone)]
pub(crate) struct Worker<S> {
    /// Limits and clocks; a connection keeps those that it began with.
    pub(crate) protocol: Arc<ArcSwap<Protocol>>,
    /// Answers the requests.
    pub(crate) service: S,
    /// Room for connections.
    pub(crate) connections: ConnectionLimit,
    /// Room for those of one address.
    pub(crate) per_address: PerAddressLimit,
    /// The end.
    pub(crate) drain: Drain,
}

// === impl ConnectionLimit ===

impl ConnectionLimit {
    pub(crate) fn new(connections: usize) -> Self {
        Self(Arc::new(watch::Sender::new(Occupancy {
            open: 0,
            limit: connections,
        })))
    }

    /// Changes the limit; connections beyond a lower one stay until they end.
    pub(crate) fn resize(&self, connections: usize) {
        self.0.send_modify(|occupancy| occupancy.limit = connections);
    }

    async fn take(&self) -> ConnectionPermit {
        // Subscribed before the first try, so that no change is missed in between.
        let mut changes = self.0.subscribe();
        while !self.try_take() {
            // The sender lives as long as `self`: it cannot be closed.
            let _ = changes.changed().await;
        }
        ConnectionPermit(self.clone())
    }

    fn try_take(&self) -> bool {
        self.0.send_if_modified(|occupancy| {
            let free = occupancy.open < occupancy.limit;
            occupancy.open += usize::from(free);
            free
        })
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        self.0.0.send_modify(|occupancy| occupancy.open -= 1);
    }
}

// === impl Worker ===

impl<S> Worker<S>
where
    S: Service<Request<Incoming>, Response = EdgeResponse, Error = Infallible>
        + Clone
        + Send
        + Sync
        + 'static,
    S::Future: Send + 'static,
{
    /// Accepts until the drain begins; an accept error pauses and never ends it.
    pub(crate) async fn run(self, listener: Listener) {
        tokio::select! {
            () = self.accept(&listener) => {}
            () = self.drain.begun() => {}
        }
        // Whoever has connected by now is in the kernel's queue, and a request may follow: closing would reset them.
        let _ = tokio::time::timeout(TAIL, self.accept(&listener)).await;
    }

    async fn accept(&self, listener: &Listener) {
        let mut pause = BACKOFF.0;
        loop {
            let permit = self.connections.take().await;
            match listener.accept().await {
                Ok(arrival) => {
                    pause = BACKOFF.0;
                    self.start(arrival, permit);
                }
                Err(error) if concerns_one_connection(&error) => {}
                Err(error) => {
                    tracing::warn!(error = %error, "accepting a connection failed, pausing");
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(BACKOFF.1);
                }
            }
        }
    }

    fn start(&self, arrival: Arriving, permit: ConnectionPermit) {
        let this = self.clone();
        self.drain.spawn(async move {
            this.serve(arrival).await;
            drop(permit);
        });
    }

    async fn serve(self, arrival: Arriving) {
        let Self {
            protocol,
            service,
            per_address,
            drain,
            ..
        } = self;
        let protocol = protocol.load_full();
        let peer = arrival.peer();
        let accept = open(arrival, protocol.proxy_header_policy(), &per_address);
        let opened = tokio::select! {
            opened = tokio::time::timeout(protocol.min_rate(), accept) => opened,
            () = drain.dismissed() => return,
        };
        match opened {
            Ok(Ok(opened)) => {
                protocol.serve(opened.socket, opened.peer, service, drain).await;
                drop(opened.address_permit);
            }
            Ok(Err(fault)) => log_fault(&fault, peer),
            Err(_) => tracing::debug!("a client connection was not opened in time"),
        }
    }
}

/// Faults of a proxy's making point to a setting; the others are the everyday noise of the internet.
fn log_fault(fault: &AcceptFault, peer: Peer) {
    let client = peer.address().map(tracing::field::display);
    match fault {
        AcceptFault::Stranger | AcceptFault::Header(HeaderFault::Missing | HeaderFault::Malformed) => {
            tracing::info!(client, reason = %fault, "a connection is closed before its first request");
        }
        AcceptFault::Header(HeaderFault::Io(_)) | AcceptFault::Crowded | AcceptFault::Handshake(_) => {
            tracing::debug!(client, reason = %fault, "a connection is closed before its first request");
        }
    }
}

/// Whether the error says that a client left between its connect and our accept.
fn concerns_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionRefused
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_place_is_free_once_its_connection_is_gone() {
        let connections = ConnectionLimit::new(1);
        let held = connections.take().await;
        let second = connections.take();
        tokio::pin!(second);
        assert!(futures_util::poll!(second.as_mut()).is_pending());
        drop(held);
        second.await;
    }

    #[tokio::test(start_paused = true)]
    async fn room_grows_and_shrinks_while_it_is_in_use() {
        let connections = ConnectionLimit::new(1);
        let first = connections.take().await;
        let waiting = connections.take();
        tokio::pin!(waiting);
        assert!(futures_util::poll!(waiting.as_mut()).is_pending());
        connections.resize(2);
        let second = waiting.await;
        connections.resize(1);
        drop(first);
        let late = connections.take();
        tokio::pin!(late);
        assert!(
            futures_util::poll!(late.as_mut()).is_pending(),
            "one too many is open"
        );
        drop(second);
        late.await;
    }
}
