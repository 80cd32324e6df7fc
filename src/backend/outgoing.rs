//! A call written as a request: nothing about it can be refused any more.

use crate::call::ForwardableCall;

/// A request that is ready to be sent.
#[derive(Debug)]
pub(crate) struct Outgoing {
    pub(super) request: reqwest::Request,
    pub(super) class: Class,
}

/// What a request does at the origin, which decides its deadline and its connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// It changes nothing; it may be retried and may be abandoned.
    Read,
    /// It may change something; it is sent once and runs to its end.
    Write,
}

// === impl Class ===

impl Class {
    pub(super) fn of(call: &ForwardableCall) -> Self {
        if call.is_write() { Self::Write } else { Self::Read }
    }
}
