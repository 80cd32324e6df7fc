//! A call written as a request, after all checks.

use std::sync::Arc;
use std::time::Duration;

use url::Position;

use super::forwarded_headers::ForwardedHeaders;
use super::judged_call::JudgedCall;
use super::queue_watch::QueueWatch;
use super::wordpress::WordPressWriter;
use crate::telemetry::RequestLog;
use calendar_edge_core::limits::queue::Rank;

/// A request that is ready to be sent.
#[derive(Debug)]
pub(crate) struct Outgoing<'c> {
    /// Behind a pointer: the futures of an exchange pass it on, and each holds the value that it was given.
    pub(super) request: Box<reqwest::Request>,
    pub(super) again: Again<'c>,
    /// It may change something: it is sent once, with a deadline and a connection of its own kind, and runs to its end.
    /// Else it changes nothing, may be retried, and is cancelled with its client.
    pub(super) is_write: bool,
    /// The time of the exchange up to its last byte; none: that of all requests of its kind.
    pub(super) patience: Option<Duration>,
    pub(super) rank: Rank,
    /// The link to its caller while it waits.
    pub(crate) watch: Option<QueueWatch>,
    /// The record of the client's request, in which its waits are noted.
    pub(crate) log: Arc<RequestLog>,
}

/// The source of the same request for a second try.
#[derive(Debug)]
pub(super) enum Again<'c> {
    /// The call is written once more.
    Call(&'c WordPressWriter, &'c JudgedCall, &'c ForwardedHeaders),
    /// A copy of a request that is no call.
    Copy(Option<Box<reqwest::Request>>),
}

// === impl Again ===

impl Again<'_> {
    /// The request; none if it has no copy.
    pub(super) fn request(self) -> Option<Box<reqwest::Request>> {
        match self {
            Self::Call(writer, call, forwarded) => writer.write(call, forwarded).ok().map(Box::new),
            Self::Copy(request) => request,
        }
    }
}

// === impl Outgoing ===

impl Outgoing<'_> {
    /// A request of the edge's own, which many clients depend on. The site has this time for it; none: that of all reads.
    pub(super) fn own_read(mut request: reqwest::Request, patience: Option<Duration>) -> Self {
        *request.timeout_mut() = patience;
        Self {
            again: Again::Copy(request.try_clone().map(Box::new)),
            request: Box::new(request),
            is_write: false,
            patience,
            rank: Rank::Protected,
            watch: None,
            log: Arc::default(),
        }
    }

    /// Path and query.
    pub(crate) fn target(&self) -> &str {
        &self.request.url()[Position::BeforePath..Position::AfterQuery]
    }
}
