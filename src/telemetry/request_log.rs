//! What becomes known about a request on its way, for its log line and its counts.

use std::sync::{Arc, OnceLock};

use crate::contract::Operation;

/// A request's shared note sheet: inner services write once, the access log reads at the end.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestLog {
    subject: Arc<OnceLock<Traffic>>,
}

/// What a request is about.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Traffic {
    /// A call of the calendar API.
    Operation(&'static Operation),
    /// Traffic of the site around the API.
    Site,
}

// === impl RequestLog ===

impl RequestLog {
    /// Notes what the request is about; the first note stays.
    pub(crate) fn about(&self, subject: Traffic) {
        // A second note could only repeat the first.
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
