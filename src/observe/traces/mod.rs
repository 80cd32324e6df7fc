//! Spans of requests, sent to a collector as OTLP over HTTP.
//!
//! Requests put their spans into a bounded queue and never wait. One task takes them out, in batches, and sends them. Without
//! the feature `otlp` there is none.

use std::time::Duration;

use url::Url;

mod collector;
mod encode_spans;
mod exporter;
mod exporters;
mod messages;
mod trial;
mod unix_clock;

pub(crate) use exporters::Traces;
pub use trial::ask_collector;

/// A collector that does not take spans now.
#[derive(Debug, thiserror::Error)]
#[error("{url}: {reason}")]
pub struct CollectorFault {
    /// Where spans are sent.
    url: Url,
    /// Its words or its status, or what kept it from answering.
    reason: String,
}

/// Maximum time for the last spans when the edge ends.
pub(crate) const LAST_SPANS: Duration = Duration::from_secs(2);
