//! Facts about a request that services find out, for its log line, its metrics and the explanation of its refusal.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use http::{HeaderMap, Method};

use super::refusals::RefusalNote;
use super::site_verdict::SiteVerdict;
use super::trace_context::{TraceContext, TraceHeaders};
use calendar_edge_judge::contract::Operation;

/// The shared record of a request: inner services write to it once, the access log reads it at the end.
#[derive(Debug, Default)]
pub(crate) struct RequestLog {
    subject: OnceLock<Traffic>,
    /// Set where WordPress takes another method than the one on the wire.
    taken: OnceLock<Method>,
    /// Behind a pointer, because few requests are refused.
    refused: OnceLock<Box<RefusalNote>>,
    verdict: OnceLock<&'static str>,
    /// Set where a request with findings was forwarded.
    site: OnceLock<SiteVerdict>,
    /// Nanoseconds of all waits for a permit.
    queued: AtomicU64,
    /// Nanoseconds of all exchanges with a backend, with their waits.
    exchanged: AtomicU64,
    /// None for requests of the edge's own.
    trace_headers: Option<TraceHeaders>,
    /// Read from these headers when it is needed: most hits need none.
    trace: OnceLock<TraceContext>,
    /// True if refusals are kept, so that the cost of noting them is worth it.
    keeps_refusals: bool,
}

/// The subject of a request.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Traffic {
    /// A call of the calendar API, at the root of this position in the settings.
    Operation(&'static Operation, usize),
    /// A request for the rest of the site.
    Site,
}

/// The time of a request at and before a backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BackendTimes {
    /// It waited for a permit.
    pub(crate) queue: Duration,
    /// From the permit to the response: whole where it is read whole, else its head.
    pub(crate) backend: Duration,
}

// === impl RequestLog ===

impl RequestLog {
    /// The record of a request of a trace, which notes refusals if they are kept.
    pub(crate) fn new(trace: TraceHeaders, keeps_refusals: bool) -> Arc<Self> {
        Arc::new(Self {
            keeps_refusals,
            trace_headers: Some(trace),
            ..Self::default()
        })
    }

    /// The trace; none for requests of the edge's own.
    pub(crate) fn trace(&self) -> Option<&TraceContext> {
        let headers = self.trace_headers.as_ref()?;
        Some(self.trace.get_or_init(|| TraceContext::of(headers)))
    }

    /// Writes the trace into the headers of an exchange, with the request as the parent of what the backend does.
    pub(crate) fn write_trace(&self, headers: &mut HeaderMap) {
        if let Some(trace) = self.trace() {
            trace.write(headers);
        }
    }

    /// Sets the verdict of the rules on the request; the first value stays.
    pub(crate) fn judged(&self, verdict: &'static str) {
        let _ = self.verdict.set(verdict);
    }

    /// The verdict of the rules on the request, if they were applied.
    pub(crate) fn verdict(&self) -> Option<&'static str> {
        self.verdict.get().copied()
    }

    /// Sets the site's response to a forwarded request with findings; the first value stays.
    pub(crate) fn set_site_verdict(&self, verdict: SiteVerdict) {
        let _ = self.site.set(verdict);
    }

    /// The site's response to a forwarded request with findings.
    pub(crate) fn site_verdict(&self) -> Option<&SiteVerdict> {
        self.site.get()
    }

    /// Adds a wait for a permit.
    pub(crate) fn queued(&self, wait: Duration) {
        self.queued.fetch_add(nanoseconds(wait), Ordering::Relaxed);
    }

    /// Adds the time of an exchange that is over.
    pub(super) fn exchanged(&self, time: Duration) {
        self.exchanged.fetch_add(nanoseconds(time), Ordering::Relaxed);
    }

    /// The time at backends; none if none got a request.
    pub(crate) fn backend_times(&self) -> Option<BackendTimes> {
        let exchanged = self.exchanged.load(Ordering::Relaxed);
        let queued = self.queued.load(Ordering::Relaxed);
        (exchanged > 0).then(|| BackendTimes {
            queue: Duration::from_nanos(queued),
            backend: Duration::from_nanos(exchanged.saturating_sub(queued)),
        })
    }

    /// Sets the subject of the request; the first value stays.
    pub(crate) fn about(&self, subject: Traffic) {
        // A second value could only repeat the first.
        let _ = self.subject.set(subject);
    }

    /// Notes the method that WordPress takes in place of the one on the wire.
    pub(crate) fn takes(&self, method: &Method) {
        let _ = self.taken.set(method.clone());
    }

    /// The method that WordPress takes; none if it is the one on the wire.
    pub(crate) fn taken(&self) -> Option<&Method> {
        self.taken.get()
    }

    /// Notes why the request is refused, if refusals are kept; the first note stays.
    pub(crate) fn refused(&self, note: impl FnOnce() -> RefusalNote) {
        if self.keeps_refusals {
            self.refused.get_or_init(|| Box::new(note()));
        }
    }

    /// The reason for the refusal of the request, if it was noted.
    pub(crate) fn refusal(&self) -> Option<&RefusalNote> {
        self.refused.get().map(AsRef::as_ref)
    }

    /// The operation; none for other requests.
    pub(crate) fn called(&self) -> Option<&'static Operation> {
        match self.subject.get() {
            Some(Traffic::Operation(operation, _)) => Some(operation),
            Some(Traffic::Site) | None => None,
        }
    }

    /// The position of the root of a call.
    pub(crate) fn root(&self) -> Option<usize> {
        match self.subject.get() {
            Some(Traffic::Operation(_, root)) => Some(*root),
            Some(Traffic::Site) | None => None,
        }
    }

    /// The operation's name, `site`, or `none`.
    pub(crate) fn operation(&self) -> &'static str {
        match self.subject.get() {
            Some(Traffic::Operation(operation, _)) => &operation.name,
            Some(Traffic::Site) => "site",
            None => "none",
        }
    }
}

/// Five centuries fit.
fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
