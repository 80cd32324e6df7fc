//! What a client is told when the way to the origin fails; the causes go to the log.

use std::time::Duration;

use http::header::RETRY_AFTER;
use http::{HeaderValue, StatusCode};

use crate::access::{Exceeded, whole_seconds};
use crate::answer::{Answer, failed, refused};
use crate::problem::Refusal;
use crate::relay::OriginFailure;
use crate::upstream::{AddressFault, CredentialsFault, ExchangeFailure, Health, PrepareFault, causes};

/// The longest log field, in bytes.
const LONGEST_FIELD: usize = 256;

/// The answer to a failed exchange.
pub(super) fn exchange_failed(failure: &ExchangeFailure) -> Answer {
    tracing::warn!(
        kind = failure.label(),
        causes = chain(failure),
        "the exchange with the origin failed"
    );
    let refusal = refusal_of(failure);
    let mut answer = failed(&refusal, failure.proxy_error());
    if refusal.status() == StatusCode::SERVICE_UNAVAILABLE {
        let wait = match failure {
            ExchangeFailure::Unavailable { wait } => *wait,
            _ => Duration::ZERO,
        };
        answer.headers_mut().insert(RETRY_AFTER, retry_after(wait));
    }
    answer
}

/// Whole seconds, at least one: a clock of seconds cannot wait less.
fn retry_after(wait: Duration) -> HeaderValue {
    HeaderValue::from(whole_seconds(wait).max(1))
}

/// The answer to a visitor whose budget is used up.
pub(super) fn too_fast(exceeded: &Exceeded) -> Answer {
    let mut answer = refused(&Refusal::edge(
        StatusCode::TOO_MANY_REQUESTS,
        "edge_rate_limited",
        "Too many requests. Please wait and try again.",
    ));
    answer
        .headers_mut()
        .insert(RETRY_AFTER, retry_after(exceeded.wait));
    exceeded.status.write(answer.headers_mut());
    answer
}

fn refusal_of(failure: &ExchangeFailure) -> Refusal {
    match failure {
        ExchangeFailure::Overloaded | ExchangeFailure::Recalled => Refusal::edge(
            StatusCode::SERVICE_UNAVAILABLE,
            "edge_overloaded",
            "The site is busy. Please try again.",
        ),
        ExchangeFailure::Unavailable { .. } => Refusal::edge(
            StatusCode::SERVICE_UNAVAILABLE,
            "edge_origin_unavailable",
            "The site is not available at the moment. Please try again.",
        ),
        ExchangeFailure::ConnectTimeout(_) | ExchangeFailure::FirstByteTimeout | ExchangeFailure::Timeout => {
            origin_timeout()
        }
        ExchangeFailure::Dns(_)
        | ExchangeFailure::Refused(_)
        | ExchangeFailure::Tls(_)
        | ExchangeFailure::Unreachable(_)
        | ExchangeFailure::Terminated(_)
        | ExchangeFailure::NotHttp(_)
        | ExchangeFailure::OddHead(_)
        | ExchangeFailure::TooLarge => origin_failed(),
    }
}

fn origin_failed() -> Refusal {
    Refusal::edge(
        StatusCode::BAD_GATEWAY,
        "edge_origin_failed",
        "The site could not answer.",
    )
}

fn origin_timeout() -> Refusal {
    Refusal::edge(
        StatusCode::GATEWAY_TIMEOUT,
        "edge_origin_timeout",
        "The site did not answer in time.",
    )
}

/// What an answer that is not passed on tells about the origin.
pub(super) fn health(failure: &OriginFailure) -> Option<Health> {
    match cause(failure) {
        Some(cause) => cause.health(),
        None if failure.is_outage() => Some(Health::Outage),
        None => Some(Health::Alive),
    }
}

/// Why a body ended early, where the transport knows better than the relay.
fn cause(failure: &OriginFailure) -> Option<&ExchangeFailure> {
    match failure {
        OriginFailure::Interrupted(cause) => cause.downcast_ref(),
        _ => None,
    }
}

/// The answer in place of one that must not be passed on.
pub(super) fn not_relayed(failure: &OriginFailure) -> Answer {
    if let Some(cause) = cause(failure) {
        // A deadline is a 504.
        return exchange_failed(cause);
    }
    tracing::warn!(
        kind = failure.name(),
        causes = chain(failure),
        advice = failure.advice().map(|advice| cut(&advice)),
        "the origin's answer is not passed on"
    );
    failed(&origin_failed(), proxy_error(failure))
}

/// The `error` of `Proxy-Status` (RFC 9209 section 2.3).
const fn proxy_error(failure: &OriginFailure) -> &'static str {
    match failure {
        OriginFailure::InvalidStatus(_) => "http_protocol_error",
        OriginFailure::CodedBody(_) => "http_response_content_coding",
        OriginFailure::TooLarge { .. } => "http_response_body_size",
        OriginFailure::Interrupted(_) | OriginFailure::Truncated => "http_response_incomplete",
        OriginFailure::DatabaseError | OriginFailure::Maintenance => "destination_unavailable",
        OriginFailure::Redirect { .. }
        | OriginFailure::Fatal { .. }
        | OriginFailure::Html(_)
        | OriginFailure::NotJson { .. }
        | OriginFailure::Empty(_)
        | OriginFailure::TextBeforeJson
        | OriginFailure::TextAfterJson
        | OriginFailure::Malformed => "proxy_internal_response",
    }
}

/// The answer to a call that outlived all its deadlines.
pub(super) fn overdue() -> Answer {
    tracing::error!("a call outlived every deadline of its exchange");
    failed(&origin_timeout(), "proxy_internal_error")
}

/// The answer to a call that cannot be written as a request.
pub(super) fn not_prepared(fault: PrepareFault) -> Answer {
    refused(&match fault {
        PrepareFault::Credentials(
            CredentialsFault::SeveralAuthorizations
            | CredentialsFault::LongAuthorization
            | CredentialsFault::Unreadable,
        ) => Refusal::edge(
            StatusCode::BAD_REQUEST,
            "edge_bad_authorization",
            "The request must carry at most one valid Authorization.",
        ),
        PrepareFault::Address(AddressFault::NotPlain) => ambiguous_target(),
        PrepareFault::Address(AddressFault::UnknownRoot) => Refusal::edge(
            StatusCode::INTERNAL_SERVER_ERROR,
            "edge_internal_error",
            "The edge failed to handle the request.",
        ),
    })
}

/// The refusal of a target that the next server would read as another one.
pub(super) fn ambiguous_target() -> Refusal {
    Refusal::edge(
        StatusCode::BAD_REQUEST,
        "edge_ambiguous_target",
        "The request target can be read in two ways.",
    )
}

/// An error and its causes on one line.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let texts: Vec<String> = causes(error).map(ToString::to_string).collect();
    cut(&texts.join(": "))
}

/// A log field: cut, with control and non-ASCII characters escaped (T-50).
fn cut(text: &str) -> String {
    text.escape_default().take(LONGEST_FIELD).collect()
}
