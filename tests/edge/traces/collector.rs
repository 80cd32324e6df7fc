//! A collector under test: an origin that takes OTLP, read with the protocol's own messages.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Read as _;
use std::time::Duration;

use flate2::read::GzDecoder;
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTracePartialSuccess, ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::any_value::Value as AnyValue;
use opentelemetry_proto::tonic::common::v1::{InstrumentationScope, KeyValue};
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use prost::Message as _;
use serde_json::{Value, json};

use crate::support::{Origin, Reply, Seen};

/// Maximum wait for spans.
const PATIENCE: Duration = Duration::from_secs(20);

/// A collector on port 0.
#[derive(Debug)]
pub(super) struct Collector(Origin);

/// The spans of one request, with its description of their source.
#[derive(Debug)]
pub(super) struct Export {
    pub(super) resource: BTreeMap<String, Value>,
    pub(super) scope: InstrumentationScope,
    pub(super) spans: Vec<SeenSpan>,
}

/// A span as the collector got it.
#[derive(Debug, Clone)]
pub(super) struct SeenSpan {
    pub(super) span: Span,
    pub(super) attributes: BTreeMap<String, Value>,
}

// === impl Collector ===

impl Collector {
    /// Takes everything.
    pub(super) async fn taking_all() -> Self {
        Self::answering(|_| Reply::json(200, "")).await
    }

    /// Responds from a script.
    pub(super) async fn answering(script: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        Self(Origin::answering(script).await)
    }

    /// The base URL.
    pub(super) fn base(&self) -> String {
        self.0.base()
    }

    /// Every request so far.
    pub(super) fn requests(&self) -> Vec<Seen> {
        self.0.seen()
    }

    /// Every span so far.
    pub(super) fn spans(&self) -> Vec<SeenSpan> {
        let exports = self.requests().into_iter().map(|seen| Export::of(&seen));
        exports.flat_map(|export| export.spans).collect()
    }

    /// The spans as soon as there are so many.
    pub(super) async fn spans_of(&self, count: usize) -> Vec<SeenSpan> {
        self.wait_for(|this| this.spans().len() >= count).await;
        self.spans()
    }

    /// The requests as soon as there are so many.
    pub(super) async fn requests_of(&self, count: usize) -> Vec<Seen> {
        self.wait_for(|this| this.requests().len() >= count).await;
        self.requests()
    }

    async fn wait_for(&self, is_there: impl Fn(&Self) -> bool) {
        let there = tokio::time::timeout(PATIENCE, async {
            while !is_there(self) {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        });
        assert!(there.await.is_ok(), "the collector got {:?}", self.spans());
    }
}

/// The response of a collector that rejects so many spans.
pub(super) fn partial_success(rejected: i64, message: &str) -> Reply {
    let response = ExportTraceServiceResponse {
        partial_success: Some(ExportTracePartialSuccess {
            rejected_spans: rejected,
            error_message: message.to_owned(),
        }),
    };
    let bytes = response.encode_to_vec();
    // Short messages of plain text are text as a whole.
    let body = String::from_utf8(bytes).expect("small numbers");
    Reply::of_type(200, "application/x-protobuf", &body)
}

// === impl Export ===

impl Export {
    /// The content of a request, which must be one of the protocol.
    pub(super) fn of(seen: &Seen) -> Self {
        assert_eq!(
            (seen.method.as_str(), seen.target.as_str()),
            ("POST", "/v1/traces")
        );
        assert_eq!(seen.header("content-type"), Some("application/x-protobuf"));
        let mut body = seen.body.to_vec();
        if let Some(coding) = seen.header("content-encoding") {
            assert_eq!(coding, "gzip");
            body.clear();
            let mut plain = GzDecoder::new(&seen.body[..]);
            plain.read_to_end(&mut body).expect("gzip");
        }
        let mut request = ExportTraceServiceRequest::decode(&body[..]).expect("a message of OTLP");
        assert_eq!(request.encode_to_vec(), body, "there are unknown fields");
        assert_eq!(request.resource_spans.len(), 1);
        let mut resource = request.resource_spans.remove(0);
        assert_eq!(resource.scope_spans.len(), 1);
        let scope = resource.scope_spans.remove(0);
        Self {
            resource: attributes(&resource.resource.expect("a resource").attributes),
            scope: scope.scope.expect("a scope"),
            spans: scope.spans.into_iter().map(SeenSpan::of).collect(),
        }
    }
}

// === impl SeenSpan ===

impl SeenSpan {
    fn of(span: Span) -> Self {
        Self {
            attributes: attributes(&span.attributes),
            span,
        }
    }

    /// True for the span of a request, false for that of an exchange with a backend.
    pub(super) fn is_server(&self) -> bool {
        match self.span.kind() {
            SpanKind::Server => true,
            SpanKind::Client => false,
            other => panic!("{other:?}"),
        }
    }

    /// An attribute; null if it is absent.
    pub(super) fn told(&self, name: &str) -> Value {
        self.attributes.get(name).cloned().unwrap_or_default()
    }

    /// From the beginning to the end, in milliseconds.
    pub(super) fn duration(&self) -> f64 {
        let duration = self.span.end_time_unix_nano - self.span.start_time_unix_nano;
        Duration::from_nanos(duration).as_secs_f64() * 1000.0
    }

    /// `traceparent` as it names this span.
    pub(super) fn traceparent(&self) -> String {
        format!("00-{}-{}-01", hex(&self.span.trace_id), hex(&self.span.span_id))
    }
}

/// Bytes in hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn attributes(pairs: &[KeyValue]) -> BTreeMap<String, Value> {
    let named: BTreeMap<String, Value> = pairs.iter().map(|pair| (pair.key.clone(), value(pair))).collect();
    assert_eq!(named.len(), pairs.len(), "a name stands twice: {pairs:?}");
    named
}

fn value(pair: &KeyValue) -> Value {
    let value = pair.value.clone().and_then(|value| value.value);
    match value.expect("a value") {
        AnyValue::StringValue(text) => text.into(),
        AnyValue::BoolValue(flag) => flag.into(),
        AnyValue::IntValue(number) => number.into(),
        AnyValue::DoubleValue(number) => json!(number),
        other => panic!("{other:?}"),
    }
}
