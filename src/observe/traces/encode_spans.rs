//! Spans as the messages of OTLP.

use std::time::Instant;

use bytes::Bytes;
use prost::Message as _;
use uuid::Uuid;

use super::messages::{
    AnyValue, ExportRequest, KeyValue, ResourceSpans, ScopeSpans, SpanMessage, SpanResource, SpanScope,
    SpanStatus,
};
use crate::telemetry::{AttributeValue, Span, SpanIds, SpanKind, unix_time};
use calendar_edge_core::unix_time::UnixTime;

/// `STATUS_CODE_ERROR`.
const ERROR: i32 = 2;

/// The trace is recorded.
const SAMPLED: u32 = 0x01;
/// It is known whether the parent is in another process.
const KNOWS_PARENT: u32 = 0x100;
/// It is.
const HAS_REMOTE_PARENT: u32 = 0x200;

/// One request with all of these spans, in the name of this instance of the service. Their moments are counted from now.
pub(super) fn encode(instance: Uuid, spans: Vec<Span>) -> Bytes {
    let (now, time) = (Instant::now(), unix_time());
    let attributes = [
        ("service.name", "calendar-edge".to_owned()),
        ("service.version", env!("CARGO_PKG_VERSION").to_owned()),
        ("service.instance.id", instance.to_string()),
    ];
    let attributes = attributes.map(|(key, value)| key_value(key, AttributeValue::Text(value)));
    let scope = SpanScope {
        name: env!("CARGO_PKG_NAME").to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let spans = spans.into_iter().map(|span| message(span, now, time));
    let request = ExportRequest {
        resource_spans: vec![ResourceSpans {
            resource: Some(SpanResource {
                attributes: attributes.into(),
            }),
            scope_spans: vec![ScopeSpans {
                scope: Some(scope),
                spans: spans.collect(),
            }],
        }],
    };
    request.encode_to_vec().into()
}

fn message(span: Span, now: Instant, time: UnixTime) -> SpanMessage {
    let SpanIds {
        trace,
        span: id,
        parent,
    } = span.ids;
    let remote = match parent {
        Some(_) if span.kind == SpanKind::Server => HAS_REMOTE_PARENT,
        _ => 0,
    };
    let attributes = span.attributes.0.into_iter();
    let began = time.saturating_sub(now.saturating_duration_since(span.started));
    SpanMessage {
        trace_id: bytes(&trace),
        span_id: bytes(&id),
        trace_state: span.state,
        parent_span_id: parent.map_or_else(Vec::new, |parent| bytes(&parent)),
        name: span.name,
        kind: span.kind as i32,
        start_time_unix_nano: nanoseconds(began),
        end_time_unix_nano: nanoseconds(began.saturating_add(span.duration)),
        attributes: attributes.map(|(key, value)| key_value(key, value)).collect(),
        status: span.is_error.then_some(SpanStatus { code: ERROR }),
        flags: SAMPLED | KNOWS_PARENT | remote,
    }
}

/// Nanoseconds of the wall clock; until the year 2554.
fn nanoseconds(time: UnixTime) -> u64 {
    u64::try_from(time.since_epoch().as_nanos()).unwrap_or(u64::MAX)
}

fn key_value(key: &str, value: AttributeValue) -> KeyValue {
    KeyValue {
        key: key.to_owned(),
        value: Some(AnyValue { value: Some(value) }),
    }
}

/// The bytes that hexadecimal digits stand for. Ids consist of digits only.
fn bytes(digits: &[u8]) -> Vec<u8> {
    let (pairs, _) = digits.as_chunks::<2>();
    let byte = |pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    pairs.iter().filter_map(|pair| byte(pair)).collect()
}
