//! A call written as a request, after all checks.

use http::Method;
use url::{Position, Url};

use super::queue_watch::QueueWatch;
use crate::call::ForwardableCall;
use crate::credentials::Caller;
use crate::queue::Rank;
use crate::telemetry::RequestLog;

/// A request that is ready to be sent.
#[derive(Debug)]
pub(crate) struct Outgoing {
    /// Behind a pointer: the futures of an exchange pass it on, and each holds what it was given.
    pub(super) request: Box<reqwest::Request>,
    pub(super) class: Class,
    pub(super) rank: Rank,
    pub(super) watch: Option<QueueWatch>,
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
    /// A call that was written as a request.
    pub(super) fn of_call(request: reqwest::Request, call: &ForwardableCall) -> Self {
        let caller = call.credentials().caller(call.request().nonce.as_ref());
        let is_protected = call.is_write() || caller == Caller::Credentialed;
        Self {
            request: Box::new(request),
            class: Class::of(call),
            rank: if is_protected {
                Rank::Protected
            } else {
                Rank::Anonymous
            },
            watch: None,
            log: RequestLog::default(),
        }
    }

    /// A question of the edge's own, which many clients depend on.
    pub(super) fn own_read(request: reqwest::Request) -> Self {
        Self {
            request: Box::new(request),
            class: Class::Read,
            rank: Rank::Protected,
            watch: None,
            log: RequestLog::default(),
        }
    }

    /// The same request, with a link to its caller while it waits.
    pub(crate) fn watched(self, watch: Option<QueueWatch>) -> Self {
        Self { watch, ..self }
    }

    /// The same request, whose waits are noted in a record.
    pub(crate) fn noted_in(self, log: &RequestLog) -> Self {
        Self {
            log: log.clone(),
            ..self
        }
    }

    /// Method and address.
    pub(crate) fn asks(&self) -> (&Method, &Url) {
        (self.request.method(), self.request.url())
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
