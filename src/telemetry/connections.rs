//! The connections of clients: how many are open, and why others ended.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use strum::VariantNames as _;

use super::series::Series;
use super::table::{CONNECTIONS_ENDED, CONNECTIONS_LIMIT, CONNECTIONS_OPEN, CONNECTIONS_OPENED};

/// The metrics of client connections; clones share their values.
#[derive(Debug, Clone)]
pub(crate) struct ConnectionMetrics {
    open: Gauge,
    limit: Gauge,
    opened: Counter,
    ended: Series<Counter, 1>,
}

/// Why a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub(crate) enum ConnectionEnd {
    /// Both sides were done.
    Finished,
    /// The client left, or the connection broke.
    Broken,
    /// Its bytes could be read in two ways, or were a flood.
    Framing,
    /// The client was silent for too long within a request's head.
    Silent,
    /// It was idle for too long.
    Idle,
    /// It waited for a request when others needed a connection.
    MadeRoom,
    /// The edge stopped.
    Drain,
    /// The peer may not send PROXY headers.
    Stranger,
    /// The PROXY header was missing or malformed.
    ProxyHeader,
    /// The address held too many connections.
    AddressLimit,
    /// The TLS handshake failed.
    TlsHandshake,
    /// The steps before the first request took too long.
    NotOpened,
}

/// Counts a connection as open while it lives, and its end.
#[derive(Debug)]
pub(crate) struct OpenConnection {
    metrics: ConnectionMetrics,
    end: ConnectionEnd,
}

// === impl ConnectionMetrics ===

impl ConnectionMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        Self {
            open: CONNECTIONS_OPEN.value(registry),
            limit: CONNECTIONS_LIMIT.value(registry),
            opened: CONNECTIONS_OPENED.value(registry),
            ended: CONNECTIONS_ENDED.series(registry).with(ConnectionEnd::VARIANTS),
        }
    }

    /// Notes the most connections that may be open.
    pub(crate) fn limited(&self, most: usize) {
        self.limit.set(i64::try_from(most).unwrap_or(i64::MAX));
    }

    /// The open connections, the most of them, and those accepted since the start.
    pub(crate) fn figures(&self) -> (i64, i64, u64) {
        (self.open.get(), self.limit.get(), self.opened.get())
    }

    /// Counts a connection as open until the guard is dropped.
    pub(crate) fn open(&self) -> OpenConnection {
        self.open.inc();
        self.opened.inc();
        OpenConnection {
            metrics: self.clone(),
            // Unless something else is said: the task of the connection was cut.
            end: ConnectionEnd::Drain,
        }
    }
}

// === impl OpenConnection ===

impl OpenConnection {
    /// The connection has ended for this reason.
    pub(crate) fn end(mut self, end: ConnectionEnd) {
        self.end = end;
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.metrics.open.dec();
        self.metrics.ended.add([self.end.into_str().into()], 1);
    }
}
