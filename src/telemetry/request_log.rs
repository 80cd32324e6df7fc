//! Facts about a request that services find out, for its log line, its metrics and the explanation of its refusal.

use std::sync::{Arc, OnceLock};

use super::refusals::RefusalNote;
use crate::contract::Operation;

/// The shared record of a request: inner services write to it once, the access log reads it at the end.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestLog(Arc<RequestFacts>);

#[derive(Debug, Default)]
struct RequestFacts {
    subject: OnceLock<Traffic>,
    refused: OnceLock<RefusalNote>,
    /// Whether refusals are kept, so that the cost of noting them is worth it.
    keeps_refusals: bool,
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
    /// The record of a request whose refusal is kept.
    pub(crate) fn keeping_refusals() -> Self {
        Self(Arc::new(RequestFacts {
            keeps_refusals: true,
            ..RequestFacts::default()
        }))
    }

    /// Sets the subject of the request; the first value stays.
    pub(crate) fn about(&self, subject: Traffic) {
        // A second value could only repeat the first.
        let _ = self.0.subject.set(subject);
    }

    /// Notes why the request is refused, if refusals are kept; the first note stays.
    pub(crate) fn refused(&self, note: impl FnOnce() -> RefusalNote) {
        if self.0.keeps_refusals {
            self.0.refused.get_or_init(note);
        }
    }

    /// The reason for the refusal of the request, if it was noted.
    pub(crate) fn refusal(&self) -> Option<&RefusalNote> {
        self.0.refused.get()
    }

    /// The operation; none for other requests.
    pub(crate) fn called(&self) -> Option<&'static Operation> {
        match self.0.subject.get() {
            Some(Traffic::Operation(operation)) => Some(operation),
            Some(Traffic::Site) | None => None,
        }
    }

    /// The operation's name, `site`, or `none`.
    pub(crate) fn operation(&self) -> &'static str {
        match self.0.subject.get() {
            Some(Traffic::Operation(operation)) => &operation.name,
            Some(Traffic::Site) => "site",
            None => "none",
        }
    }
}
