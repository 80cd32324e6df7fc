//! Accepts connections on a listener and serves each to its end.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use hyper::body::Incoming;
use hyper::service::Service;
use tokio::sync::watch;

use super::accept::{AcceptFault, open};
use super::connection::Protocol;
use super::drain::Drain;
use super::listener::{Arriving, Listener};
use super::peer::Peer;
use super::per_address::{AddressPermit, PerAddressLimit};
use super::proxy_header::HeaderFault;
use super::received_request::ReceivedRequest;
use crate::server::response::PlainResponse;
use crate::server::threads::{AssignedThread, Placement};
use crate::telemetry::{ConnectionEnd, ConnectionMetrics, OpenConnection};
use calendar_edge_core::limits::Backoff;

/// The pauses after a failed accept; descriptors become free when connections end.
const BACKOFF: Backoff = Backoff::new(Duration::from_millis(10), Duration::from_secs(1));

/// The time for which connections in the accept queue are still accepted after the drain has begun.
const TAIL: Duration = Duration::from_millis(50);

/// The interval at which another connection shall make room. The one before has ended long since, unless a request
/// arrived there at the same moment.
const ROOM_INTERVAL: Duration = Duration::from_secs(1);

/// The number of open connections and the limit, shared by the listeners of one edge.
#[derive(Debug, Clone)]
pub(crate) struct ConnectionLimit(Arc<watch::Sender<(usize, usize)>>);

/// The right to one connection, released when dropped.
#[derive(Debug)]
struct ConnectionPermit(ConnectionLimit);

/// Accepts the connections of one listener and serves them.
#[derive(Debug, Clone)]
pub(crate) struct Worker<S> {
    /// Limits and timers; a connection keeps those that it began with.
    pub(crate) protocol: Arc<ArcSwap<Protocol>>,
    /// Responds to the requests.
    pub(crate) service: S,
    /// The limit on all connections.
    pub(crate) connections: ConnectionLimit,
    /// The limit on the connections of one address.
    pub(crate) per_address: PerAddressLimit,
    /// The threads that serve the accepted connections.
    pub(crate) placement: Placement,
    /// The graceful shutdown that this worker takes part in.
    pub(crate) drain: Drain,
    /// The counts of connections.
    pub(crate) metrics: ConnectionMetrics,
}

// === impl ConnectionLimit ===

impl ConnectionLimit {
    pub(crate) fn new(connections: usize) -> Self {
        Self(Arc::new(watch::Sender::new((0, connections))))
    }

    /// Changes the limit. Connections beyond a lower limit stay open until they end.
    pub(crate) fn resize(&self, connections: usize) {
        self.0.send_modify(|(_, limit)| *limit = connections);
    }

    /// Waits for a permit; while there is none, `make_room` is called at intervals.
    async fn take(&self, make_room: impl Fn()) -> ConnectionPermit {
        // Subscribed before the first try, so that no change in between is missed.
        let mut changes = self.0.subscribe();
        while !self.try_take() {
            make_room();
            // `self` owns the sender, so the channel cannot be closed.
            let _ = tokio::time::timeout(ROOM_INTERVAL, changes.changed()).await;
        }
        ConnectionPermit(self.clone())
    }

    fn try_take(&self) -> bool {
        self.0.send_if_modified(|(open, limit)| {
            let is_free = *open < *limit;
            *open += usize::from(is_free);
            is_free
        })
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        self.0.0.send_modify(|(open, _)| *open -= 1);
    }
}

// === impl Worker ===

impl<S> Worker<S>
where
    S: Service<ReceivedRequest<Incoming>, Response = PlainResponse, Error = Infallible>
        + Clone
        + Send
        + Sync
        + Unpin
        + 'static,
    S::Future: Send + Unpin + 'static,
{
    /// Accepts until the drain begins. After an error it pauses, then goes on.
    pub(crate) async fn run(self, listener: Listener) {
        self.drain.unless_begun(self.accept(&listener)).await;
        // Clients that have connected by now are in the kernel's queue. Closing the socket would reset them,
        // and their requests.
        let _ = tokio::time::timeout(TAIL, self.accept(&listener)).await;
    }

    async fn accept(&self, listener: &Listener) {
        let mut failures = 0;
        loop {
            match listener.accept().await {
                Ok(arrival) => {
                    failures = 0;
                    // Once it is here, because no other has to make room for one that may never come.
                    let permit = self.connections.take(|| self.per_address.make_room()).await;
                    self.start(arrival, permit);
                }
                Err(error) if concerns_one_connection(&error) => {}
                Err(error) => {
                    tracing::warn!(error = %error, "accepting a connection failed, pausing");
                    tokio::time::sleep(BACKOFF.after(failures)).await;
                    failures = failures.saturating_add(1_u32);
                }
            }
        }
    }

    fn start(&self, arrival: Arriving, permit: ConnectionPermit) {
        let open = self.metrics.open();
        // Before the next one is accepted, which may need this one's place.
        let Some(address_permit) = self.per_address.acquire(arrival.peer()) else {
            return open.end(ConnectionEnd::AddressLimit);
        };
        let assigned = self.placement.assign();
        let other = assigned.as_ref().and_then(AssignedThread::other_runtime).cloned();
        let permits = (permit, assigned);
        let Some(runtime) = other else {
            self.drain
                .spawn(self.clone().serve_counted(arrival, address_permit, open, permits));
            return;
        };
        match arrival.moved_to(&runtime) {
            Ok(arrival) => {
                let served = self.clone().serve_counted(arrival, address_permit, open, permits);
                self.drain.spawn_on(&runtime, served);
            }
            Err(error) => tracing::warn!(%error, "a connection is closed: it cannot be given to a thread"),
        }
    }

    /// Serves a connection and counts its end; until then it holds the connection's permits.
    async fn serve_counted<P>(
        self,
        arrival: Arriving,
        address_permit: AddressPermit,
        open: OpenConnection,
        permits: P,
    ) {
        open.end(self.serve(arrival, address_permit).await);
        drop(permits);
    }

    async fn serve(self, arrival: Arriving, address_permit: AddressPermit) -> ConnectionEnd {
        let Self {
            protocol,
            service,
            drain,
            ..
        } = self;
        let protocol = protocol.load_full();
        let peer = arrival.peer();
        // Behind a pointer: the memory of a handshake must not stay with the connection.
        let activity = address_permit.activity.clone();
        let accept = Box::pin(open(arrival, protocol.proxies.as_deref(), address_permit));
        let opened = tokio::select! {
            opened = tokio::time::timeout(protocol.limits.head, accept) => opened,
            () = drain.dismissed() => return ConnectionEnd::Drain,
            () = activity.room_wanted() => return ConnectionEnd::MadeRoom,
        };
        match opened {
            Ok(Ok(accepted)) => protocol.serve(accepted, service, drain).await,
            Ok(Err(fault)) => {
                log_fault(&fault, peer);
                fault.end()
            }
            Err(_) => {
                tracing::debug!("a client connection was not opened in time");
                ConnectionEnd::NotOpened
            }
        }
    }
}

/// Faults of a proxy point to a wrong setting and are logged at info; the others are normal on the internet.
fn log_fault(fault: &AcceptFault, peer: Peer) {
    let client = peer.address().map(tracing::field::display);
    match fault {
        AcceptFault::Stranger | AcceptFault::Header(HeaderFault::Missing | HeaderFault::Malformed) => {
            tracing::info!(client, reason = %fault, "a connection is closed before its first request");
        }
        AcceptFault::Header(HeaderFault::Io(_))
        | AcceptFault::TooManyConnections
        | AcceptFault::Handshake(_) => {
            tracing::debug!(client, reason = %fault, "a connection is closed before its first request");
        }
    }
}

/// True if the client left between its connect and our accept.
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
    async fn a_permit_is_free_once_its_connection_is_gone() {
        let connections = ConnectionLimit::new(1);
        let held = connections.take(|| ()).await;
        let second = connections.take(|| ());
        tokio::pin!(second);
        assert!(futures_util::poll!(second.as_mut()).is_pending());
        drop(held);
        second.await;
    }

    #[tokio::test(start_paused = true)]
    async fn the_limit_changes_while_connections_are_open() {
        let connections = ConnectionLimit::new(1);
        let first = connections.take(|| ()).await;
        let waiting = connections.take(|| ());
        tokio::pin!(waiting);
        assert!(futures_util::poll!(waiting.as_mut()).is_pending());
        connections.resize(2);
        let second = waiting.await;
        connections.resize(1);
        drop(first);
        let late = connections.take(|| ());
        tokio::pin!(late);
        assert!(
            futures_util::poll!(late.as_mut()).is_pending(),
            "one too many is open"
        );
        drop(second);
        late.await;
    }
}
