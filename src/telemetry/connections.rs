//! The connections of clients: the number of open ones, and the reasons why others ended.

use serde_json::{Value, json};
use strum::VariantArray as _;

use super::series::{Counter, Gauge, metrics};
use calendar_edge_core::concerns::Usage;

metrics! {
    /// The metrics of client connections; clones share their values.
    pub(crate) struct ConnectionMetrics {
        connections_ended: Counter["reason" in ConnectionEnd::VARIANTS] = "Connections that ended, by the reason";
        connections_limit: Gauge = "The most connections of clients; further ones wait to be accepted";
        connections_open: Gauge = "Connections of clients";
        connections_opened: Counter = "Connections accepted";
    }
}

/// The reason why a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
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
    /// Notes the most connections that may be open.
    pub(crate) fn limited(&self, most: usize) {
        self.connections_limit
            .set(i64::try_from(most).unwrap_or(i64::MAX));
    }

    /// The connections at this moment.
    pub(crate) fn figures(&self) -> Value {
        json!({
            "open": self.connections_open.get(),
            "limit": self.connections_limit.get(),
            "opened": self.connections_opened.get(),
        })
    }

    /// The connections that are open, and the most that may be.
    pub(crate) fn usage(&self) -> Usage {
        Usage {
            used: u64::try_from(self.connections_open.get()).unwrap_or_default(),
            limit: u64::try_from(self.connections_limit.get()).unwrap_or_default(),
        }
    }

    /// Counts a connection as open until the guard is dropped.
    pub(crate) fn open(&self) -> OpenConnection {
        self.connections_open.inc();
        self.connections_opened.inc();
        OpenConnection {
            metrics: self.clone(),
            // Unless another reason is set: the task of the connection was cut.
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
        self.metrics.connections_open.dec();
        self.metrics
            .connections_ended
            .add([self.end.into_str().into()], 1);
    }
}
