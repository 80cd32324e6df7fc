//! Spans of requests, sent to a collector as OTLP over HTTP.
//!
//! Requests put their spans into a bounded queue and never wait. One task takes them out, in batches, and sends them.

mod collector;
mod encode_spans;
mod exporter;
mod exporters;
mod messages;
mod trial;

pub(crate) use exporters::{LAST_SPANS, Traces};
pub use trial::try_collector;
