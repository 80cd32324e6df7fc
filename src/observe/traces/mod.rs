//! Spans of requests, sent to a collector as OTLP over HTTP.
//!
//! Requests put their spans into a bounded queue and never wait. One task takes them out, in batches, and sends them. Without
//! the feature `otlp` there is none.

use std::time::Duration;

use url::Url;

#[cfg(not(feature = "otlp"))]
mod absent;
#[cfg(feature = "otlp")]
mod collector;
#[cfg(feature = "otlp")]
mod encode_spans;
#[cfg(feature = "otlp")]
mod exporter;
#[cfg(feature = "otlp")]
mod exporters;
#[cfg(feature = "otlp")]
mod messages;
#[cfg(feature = "otlp")]
#[cfg(feature = "otlp")]
mod trial;
#[cfg(feature = "otlp")]
mod unix_clock;

#[cfg(not(feature = "otlp"))]
pub(crate) use absent::NoTraces as Traces;
#[cfg(not(feature = "otlp"))]
pub use absent::ask_collector;
#[cfg(feature = "otlp")]
pub(crate) use exporters::Traces;
#[cfg(feature = "otlp")]
pub use trial::ask_collector;

/// A collector that does not take spans now.
#[derive(Debug, thiserror::Error)]
#[error("{url}: {reason}")]
pub struct CollectorTrouble {
    /// Where spans are sent.
    url: Url,
    /// Its words or its status, or what kept it from answering.
    reason: String,
}

/// Maximum time for the last spans when the edge ends.
pub(crate) const LAST_SPANS: Duration = Duration::from_secs(2);
