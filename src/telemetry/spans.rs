//! Spans: the parts of recorded traces, for the exporter that takes them.

use std::fmt;
use std::time::{Duration, Instant};

use strum::VariantArray as _;
use tokio::sync::mpsc;
use tracing::field::DisplayValue;

use super::series::{Counter, metrics};
use calendar_edge_core::settings::Percentage;

/// Takes the spans of requests, as long as there is room for them.
#[derive(Debug)]
pub(crate) struct SpanRecorder {
    queue: mpsc::Sender<Span>,
    /// The share of new traces that are recorded.
    pub(super) sample: Percentage,
    metrics: SpanMetrics,
}

/// A part of a trace that has ended.
#[derive(Debug)]
pub(crate) struct Span {
    /// Which part it is.
    pub(crate) kind: SpanKind,
    /// Method and route.
    pub(crate) name: String,
    /// Its place in the trace.
    pub(crate) ids: SpanIds,
    /// The `tracestate`, as the client sent it; a copy, because the client's would hold its whole head.
    pub(crate) state: String,
    /// When it began.
    pub(crate) started: Instant,
    /// From there to its end.
    pub(crate) duration: Duration,
    /// True if it ended with an error of the part that it is about.
    pub(crate) is_error: bool,
    /// Its names and values.
    pub(crate) attributes: Attributes,
}

/// The parts of a trace that the edge records, with OTLP's numbers for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum SpanKind {
    /// A request, from its head to the last byte of the response.
    Server = 2,
    /// An exchange with a backend.
    Client = 3,
}

/// The place of a span in its trace, in hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SpanIds {
    /// The trace.
    pub(crate) trace: [u8; 32],
    /// The span.
    pub(crate) span: [u8; 16],
    /// The span that caused it; none for the first one of a trace.
    pub(crate) parent: Option<[u8; 16]>,
}

/// Names and values of a span.
#[derive(Debug, Default)]
pub(crate) struct Attributes(pub(crate) Vec<(&'static str, AttributeValue)>);

/// The value of an attribute, as the value within OTLP's `AnyValue`.
#[derive(Clone, PartialEq, prost::Oneof)]
pub(crate) enum AttributeValue {
    #[prost(string, tag = "1")]
    Text(String),
    #[prost(bool, tag = "2")]
    Flag(bool),
    #[prost(int64, tag = "3")]
    Whole(i64),
    #[prost(double, tag = "4")]
    Fraction(f64),
}

/// A value that may be absent.
pub(crate) trait SpanValue {
    /// The value as an attribute.
    fn into_value(self) -> Option<AttributeValue>;
}

metrics! {
    /// The fates of spans; clones share their values.
    pub(crate) struct SpanMetrics {
        trace_spans: Counter["outcome" in SpanOutcome::VARIANTS] =
            "Spans of requests that the collector took or rejected, that were dropped because too many waited, or that \
             could not be sent";
    }
}

/// The outcome of a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub(crate) enum SpanOutcome {
    /// The collector took it.
    Exported,
    /// The collector took others of the same request, but not this one.
    Rejected,
    /// The queue was full, or the edge ended.
    Dropped,
    /// The collector did not respond, or refused it.
    Failed,
}

// === impl SpanRecorder ===

impl SpanRecorder {
    /// A recorder with room for so many spans, and the end where they are taken out.
    pub(crate) fn new(room: usize, sample: Percentage, metrics: SpanMetrics) -> (Self, mpsc::Receiver<Span>) {
        let (queue, spans) = mpsc::channel(room.max(1));
        let this = Self {
            queue,
            sample,
            metrics,
        };
        (this, spans)
    }

    /// Keeps a span for the exporter, unless too many wait already.
    pub(crate) fn record(&self, span: Span) {
        if self.queue.try_send(span).is_err() {
            self.metrics.count(SpanOutcome::Dropped, 1);
        }
    }
}

// === impl Attributes ===

impl Attributes {
    /// Adds a name and its value, if there is one.
    pub(crate) fn add(&mut self, name: &'static str, value: impl SpanValue) {
        self.0.extend(value.into_value().map(|value| (name, value)));
    }
}

// === impl SpanValue ===

impl<T: SpanValue> SpanValue for Option<T> {
    fn into_value(self) -> Option<AttributeValue> {
        self.and_then(SpanValue::into_value)
    }
}

impl SpanValue for &str {
    fn into_value(self) -> Option<AttributeValue> {
        Some(AttributeValue::Text(self.to_owned()))
    }
}

impl<T: fmt::Display> SpanValue for DisplayValue<T> {
    fn into_value(self) -> Option<AttributeValue> {
        Some(AttributeValue::Text(self.to_string()))
    }
}

impl SpanValue for u16 {
    fn into_value(self) -> Option<AttributeValue> {
        Some(AttributeValue::Whole(self.into()))
    }
}

impl SpanValue for u64 {
    fn into_value(self) -> Option<AttributeValue> {
        Some(AttributeValue::Whole(i64::try_from(self).unwrap_or(i64::MAX)))
    }
}

impl SpanValue for f64 {
    fn into_value(self) -> Option<AttributeValue> {
        Some(AttributeValue::Fraction(self))
    }
}

impl SpanValue for bool {
    fn into_value(self) -> Option<AttributeValue> {
        Some(AttributeValue::Flag(self))
    }
}

// === impl SpanMetrics ===

impl SpanMetrics {
    /// The number of spans counted.
    pub(crate) fn counted(&self, outcome: SpanOutcome) -> u64 {
        self.trace_spans.count(&[outcome.into_str().into()])
    }

    /// Counts so many spans.
    pub(crate) fn count(&self, outcome: SpanOutcome, spans: u64) {
        self.trace_spans.add([outcome.into_str().into()], spans);
    }
}
