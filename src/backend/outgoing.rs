//! A call written as a request, after all checks.

use url::Position;

use crate::call::ForwardableCall;
use crate::telemetry::RequestLog;

/// A request that is ready to be sent.
#[derive(Debug)]
pub(crate) struct Outgoing {
    pub(super) request: reqwest::Request,
    pub(super) class: Class,
    /// The record of the request that asks.
    pub(super) log: RequestLog,
}

/// The effect of a request at the origin, which selects its deadline and its connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// It changes nothing; it may be retried, and it is cancelled with its client.
    Read,
    /// It may change something; it is sent once and runs to its end.
    Write,
}

// === impl Outgoing ===

impl Outgoing {
    /// The same request, whose waits are noted in a record.
    pub(crate) fn noted_in(self, log: &RequestLog) -> Self {
        Self {
            log: log.clone(),
            ..self
        }
    }

    /// Path and query.
    pub(crate) fn target(&self) -> &str {
        &self.request.url()[Position::BeforePath..Position::AfterQuery]
    }
}

// === impl Class ===

impl Class {
    pub(super) fn of(call: &ForwardableCall) -> Self {
        if call.is_write() { Self::Write } else { Self::Read }
    }
}
