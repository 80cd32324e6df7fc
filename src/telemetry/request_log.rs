//! Facts about a request that services find out, for its log line and metrics.

use std::sync::{Arc, OnceLock};

use crate::contract::Operation;

/// The shared record of a request: inner services write to it once, the access log reads it at the end.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestLog {
    subject: Arc<OnceLock<Traffic>>,
}

/// The subject of a request.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Traffic {
    /// A call of the calendar API.
    Operation(&'static Operation),
    /// A request for the rest of the site.
    Site,
}

// === impl RequestLog ===

impl RequestLog {
    /// Sets the subject of the request; the first value stays.
    pub(crate) fn about(&self, subject: Traffic) {
        // A second value could only repeat the first.
        let _ = self.subject.set(subject);
    }

    /// The operation's name, `site`, or `none`.
    pub(crate) fn operation(&self) -> &'static str {
        match self.subject.get() {
            Some(Traffic::Operation(operation)) => &operation.name,
            Some(Traffic::Site) => "site",
            None => "none",
        }
    }
}
