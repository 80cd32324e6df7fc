//! What a client is told when the way to the origin fails; the causes go to the log.

use std::time::Duration;

use http::header::RETRY_AFTER;
use http::{HeaderValue, StatusCode};

use crate::admission::{Exceeded, whole_seconds};
use crate::backend::{AddressFault, ExchangeFailure, Health, ResponseHeadFault};
use crate::problem::{Cause, EdgeError, Problem, Refusal};
use crate::relay::OriginFailure;
use crate::response::{EdgeResponse, refused};
use crate::telemetry::causes;

/// The longest log field, in bytes.
const LONGEST_FIELD: usize = 256;

/// The answer to a failed exchange.
pub(super) fn exchange_failed(failure: &ExchangeFailure) -> EdgeResponse {
    tracing::warn!(
        kind = failure.label(),
        causes = chain(failure),
        "the exchange with the origin failed"
    );
    let mut answer = refused(&Refusal::plain(problem_of(failure)));
    if answer.status() == StatusCode::SERVICE_UNAVAILABLE {
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
pub(super) fn too_fast(exceeded: &Exceeded) -> EdgeResponse {
    let mut answer = refused(&Refusal::edge(EdgeError::RateLimited));
    answer
        .headers_mut()
        .insert(RETRY_AFTER, retry_after(exceeded.wait));
    exceeded.status.write(answer.headers_mut());
    answer
}

/// What the client learns of a failed exchange.
const fn problem_of(failure: &ExchangeFailure) -> Problem {
    match failure {
        ExchangeFailure::Overloaded | ExchangeFailure::Preempted => Problem::edge(EdgeError::Overloaded),
        ExchangeFailure::Unavailable { .. } => Problem::edge(EdgeError::OriginUnavailable),
        ExchangeFailure::FirstByteTimeout | ExchangeFailure::Timeout => {
            Problem::edge(EdgeError::OriginTimeout)
        }
        ExchangeFailure::ConnectTimeout(_) => Problem::because(Cause::OriginConnectTimeout),
        ExchangeFailure::Dns(_) => Problem::because(Cause::OriginName),
        ExchangeFailure::Refused(_) => Problem::because(Cause::OriginRefused),
        ExchangeFailure::Tls(_) => Problem::because(Cause::OriginTls),
        ExchangeFailure::Unreachable(_) => Problem::because(Cause::OriginDown),
        ExchangeFailure::Terminated(_) => Problem::because(Cause::OriginIncomplete),
        ExchangeFailure::ResponseHead(ResponseHeadFault::TooLarge) => {
            Problem::because(Cause::OriginHeaderSize)
        }
        ExchangeFailure::NotHttp(_) | ExchangeFailure::ResponseHead(ResponseHeadFault::Framing) => {
            Problem::because(Cause::OriginProtocol)
        }
        ExchangeFailure::TooLarge => Problem::because(Cause::OriginBodySize),
    }
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
pub(super) fn not_relayed(failure: &OriginFailure) -> EdgeResponse {
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
    refused(&Refusal::plain(problem_with(failure)))
}

/// What the client learns of an answer that is not passed on.
const fn problem_with(failure: &OriginFailure) -> Problem {
    match failure {
        OriginFailure::InvalidStatus(_) => Problem::because(Cause::OriginProtocol),
        OriginFailure::CodedBody(_) => Problem::because(Cause::OriginCoding),
        OriginFailure::TooLarge { .. } => Problem::because(Cause::OriginBodySize),
        OriginFailure::Interrupted(_) | OriginFailure::Truncated => Problem::because(Cause::OriginIncomplete),
        OriginFailure::DatabaseError | OriginFailure::Maintenance => Problem::because(Cause::OriginDown),
        OriginFailure::Redirect { .. }
        | OriginFailure::Fatal { .. }
        | OriginFailure::MarkRefused { .. }
        | OriginFailure::Html(_)
        | OriginFailure::NotJson { .. }
        | OriginFailure::Empty(_)
        | OriginFailure::TextBeforeJson
        | OriginFailure::TextAfterJson
        | OriginFailure::Malformed => Problem::edge(EdgeError::OriginFailed),
    }
}

/// The answer to a call that outlived all its deadlines.
pub(super) fn overdue() -> EdgeResponse {
    tracing::error!("a call outlived every deadline of its exchange");
    refused(&Refusal::plain(Problem::because(Cause::DeadlineMissed)))
}

/// The answer to a call that cannot be written as a request.
pub(super) fn not_prepared(fault: AddressFault) -> EdgeResponse {
    refused(&match fault {
        AddressFault::NotPlain => ambiguous_target(),
        AddressFault::UnknownRoot => Refusal::edge(EdgeError::InternalError),
    })
}

/// The refusal of a target that the next server would read as another one.
pub(super) fn ambiguous_target() -> Refusal {
    Refusal::edge(EdgeError::AmbiguousTarget)
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
