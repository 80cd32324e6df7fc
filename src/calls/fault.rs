//! Responses for failures toward the origin. The causes go to the log only.

use std::time::Duration;

use http::header::RETRY_AFTER;
use http::{HeaderValue, StatusCode};

use super::call_failure::CallFailure;
use super::call_response::CallResponse;
use crate::backend::{ExchangeFailure, ResponseHeadFault};
use crate::layers::{EdgeResponse, refused};
use crate::telemetry::{Warnings, with_causes};
use calendar_edge_core::concerns::SiteFault;
use calendar_edge_core::errors;
use calendar_edge_core::limits::Health;
use calendar_edge_core::limits::rates::{Exceeded, whole_seconds};
use calendar_edge_core::relay::{OriginFailure, RequestPart, advice_about};
use calendar_edge_judge::problem::OwnError;

/// The longest log field, in bytes.
const LONGEST_FIELD: usize = 256;

/// The longest advice, in bytes; it may hold two addresses of the site.
const LONGEST_ADVICE: usize = 1024;

/// The response to a call that no backend responded to, and the result of its login.
pub(crate) fn call_failed(failure: &CallFailure, warnings: &Warnings) -> CallResponse {
    CallResponse {
        login: failure.login(),
        ..failed(failure, warnings).into()
    }
}

/// The response to a call that no backend responded to.
pub(crate) fn failed(failure: &CallFailure, warnings: &Warnings) -> EdgeResponse {
    match failure {
        CallFailure::NotWritten(fault) => refused(&fault.refusal()),
        CallFailure::Exchange(failure) => exchange_failed(failure, warnings),
        CallFailure::Unsound(failure) => not_relayed(failure, warnings),
        CallFailure::Overdue => overdue(),
        CallFailure::Conflict => refused(&errors::PATCH_CONFLICT.refusal()),
        CallFailure::PreconditionFailed => refused(&errors::PRECONDITION_FAILED.refusal()),
        CallFailure::CallerUnknown => unidentified(failure, warnings),
        CallFailure::NoRecord => not_merged(failure, errors::ORIGIN_FAILED, warnings),
        CallFailure::RecordTooLarge => not_merged(failure, errors::ORIGIN_BODY_SIZE, warnings),
    }
}

/// The response to a read whose pages make no response in the form that the client prefers.
pub(crate) fn not_written() -> EdgeResponse {
    refused(&errors::ORIGIN_FAILED.refusal())
}

/// The response to a PATCH that cannot be merged with the record.
fn not_merged(failure: &CallFailure, error: &'static OwnError, warnings: &Warnings) -> EdgeResponse {
    let causes = chain(failure);
    warnings.warn_of_strangers("not_merged", move |count| {
        tracing::warn!(causes, count, "a PATCH is not merged");
    });
    refused(&error.refusal())
}

/// The response to a caller whose account the site does not name.
fn unidentified(failure: &CallFailure, warnings: &Warnings) -> EdgeResponse {
    let causes = chain(failure);
    warnings.warn("caller_unknown", move |count| {
        tracing::warn!(
            causes,
            count,
            "a call with credentials is not sent to its backend"
        );
    });
    refused(&errors::ORIGIN_FAILED.refusal())
}

/// The response to a failed exchange.
pub(crate) fn exchange_failed(failure: &ExchangeFailure, warnings: &Warnings) -> EdgeResponse {
    // A circle is logged when it is found, and when it ends.
    if !matches!(failure, ExchangeFailure::Circle) {
        let advice = advice_about(warnings.backend(), failure.advice().into()).into_owned();
        let line = (failure.label(), chain(failure), advice);
        report("the exchange with the backend failed", line, warnings);
    }
    let mut answer = refused(&error_of(failure).refusal());
    if answer.status() == StatusCode::SERVICE_UNAVAILABLE {
        let wait = match failure {
            ExchangeFailure::Unavailable { wait } => *wait,
            _ => Duration::ZERO,
        };
        answer.headers_mut().insert(RETRY_AFTER, retry_after(wait));
    }
    answer
}

/// Writes the line about a failure of a backend: its kind, its causes, and the advice.
fn report(
    message: &'static str,
    (kind, causes, advice): (&'static str, String, String),
    warnings: &Warnings,
) {
    let backend = warnings.backend().to_owned();
    warnings.warn(kind, move |count| {
        tracing::warn!(backend, kind, causes, advice, count, "{message}");
    });
}

/// Whole seconds, at least one: a clock of seconds cannot wait less.
fn retry_after(wait: Duration) -> HeaderValue {
    HeaderValue::from(whole_seconds(wait).max(1))
}

/// The response to a client that exceeded a rate limit.
pub(crate) fn too_fast(exceeded: &Exceeded) -> EdgeResponse {
    let mut answer = refused(&errors::RATE_LIMITED.refusal());
    answer
        .headers_mut()
        .insert(RETRY_AFTER, retry_after(exceeded.wait));
    exceeded.status.write(answer.headers_mut());
    answer
}

/// The error that the client sees after a failed exchange.
const fn error_of(failure: &ExchangeFailure) -> &'static OwnError {
    match failure {
        ExchangeFailure::Overloaded | ExchangeFailure::Preempted => errors::OVERLOADED,
        ExchangeFailure::Unavailable { .. } => errors::ORIGIN_UNAVAILABLE,
        ExchangeFailure::Circle => errors::LOOP_DETECTED,
        ExchangeFailure::FirstByteTimeout | ExchangeFailure::Timeout => errors::ORIGIN_TIMEOUT,
        ExchangeFailure::ConnectTimeout(_) => errors::ORIGIN_CONNECT_TIMEOUT,
        ExchangeFailure::Dns(_) => errors::ORIGIN_NAME,
        ExchangeFailure::Refused(_) => errors::ORIGIN_REFUSED,
        ExchangeFailure::Tls(_) => errors::ORIGIN_TLS,
        ExchangeFailure::Unreachable(_) => errors::ORIGIN_DOWN,
        ExchangeFailure::Terminated(_) => errors::ORIGIN_INCOMPLETE,
        ExchangeFailure::ResponseHead(ResponseHeadFault::TooLarge) => errors::ORIGIN_HEADER_SIZE,
        ExchangeFailure::NotHttp(_) | ExchangeFailure::ResponseHead(ResponseHeadFault::Framing) => {
            errors::ORIGIN_PROTOCOL
        }
        ExchangeFailure::TooLarge => errors::ORIGIN_BODY_SIZE,
    }
}

/// The health of the origin that follows from an unsound response.
pub(crate) fn health(failure: &OriginFailure) -> Option<Health> {
    match cause(failure) {
        Some(cause) => cause.health(),
        None if failure.is_outage() => Some(Health::Outage),
        None => Some(Health::Alive),
    }
}

/// The fault of the site that follows from it, if any.
pub(crate) fn of_site(failure: &OriginFailure) -> Option<SiteFault> {
    cause(failure).map_or_else(|| SiteFault::of(failure), ExchangeFailure::fault)
}

/// The transport's reason for a body that ended early, if it is the cause.
fn cause(failure: &OriginFailure) -> Option<&ExchangeFailure> {
    match failure {
        OriginFailure::Interrupted(cause) => cause.downcast_ref(),
        _ => None,
    }
}

/// The response in place of an unsound one.
pub(crate) fn not_relayed(failure: &OriginFailure, warnings: &Warnings) -> EdgeResponse {
    if let Some(cause) = cause(failure) {
        // A deadline is a 504.
        return exchange_failed(cause, warnings);
    }
    let advice = cut(
        &advice_about(warnings.backend(), failure.advice()),
        LONGEST_ADVICE,
    );
    let line = (failure.name(), chain(failure), advice);
    report("the backend's response is not passed on", line, warnings);
    refused(&error_with(failure).refusal())
}

/// The error that the client sees instead of an unsound response.
const fn error_with(failure: &OriginFailure) -> &'static OwnError {
    match failure {
        OriginFailure::InvalidStatus(_) => errors::ORIGIN_PROTOCOL,
        OriginFailure::CodedBody(_) => errors::ORIGIN_CODING,
        OriginFailure::RequestTooLarge(RequestPart::Body) => errors::ORIGIN_LIMITS_BODY,
        OriginFailure::RequestTooLarge(RequestPart::Target) => errors::ORIGIN_LIMITS_TARGET,
        OriginFailure::RequestTooLarge(RequestPart::Headers) => errors::ORIGIN_LIMITS_HEADERS,
        OriginFailure::TooLarge { .. } => errors::ORIGIN_BODY_SIZE,
        OriginFailure::Interrupted(_) | OriginFailure::Truncated => errors::ORIGIN_INCOMPLETE,
        OriginFailure::DatabaseError | OriginFailure::Maintenance => errors::ORIGIN_DOWN,
        OriginFailure::Redirect { .. }
        | OriginFailure::Fatal { .. }
        | OriginFailure::MarkRefused { .. }
        | OriginFailure::Html(_)
        | OriginFailure::NotJson { .. }
        | OriginFailure::Empty(_)
        | OriginFailure::TextBeforeJson
        | OriginFailure::TextAfterJson
        | OriginFailure::Malformed => errors::ORIGIN_FAILED,
    }
}

/// Reports a response that is sound but for a byte order mark before it, which clients do not get.
pub(crate) fn byte_order_mark(warnings: &Warnings) {
    warnings.warn_of_strangers("byte_order_mark", |count| {
        tracing::warn!(
            kind = "byte_order_mark",
            advice = "a PHP file of the site, often wp-config.php or the theme's functions.php, is stored as UTF-8 with \
                      a byte order mark: store it without one",
            count,
            "a byte order mark before the JSON document is not passed on"
        );
    });
}

/// The response to a call that outlived all its deadlines.
fn overdue() -> EdgeResponse {
    tracing::error!("a call outlived every deadline of its exchange");
    refused(&errors::DEADLINE_MISSED.refusal())
}

/// An error and its causes on one line.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    cut(&with_causes(error), LONGEST_FIELD)
}

/// A log field: cut, with control and non-ASCII characters escaped (T-50).
fn cut(text: &str, longest: usize) -> String {
    text.escape_default().take(longest).collect()
}
