//! What a client is told when the way to the origin fails; the causes go to the log.

use http::header::RETRY_AFTER;
use http::{HeaderValue, StatusCode};

use crate::answer::{Answer, failed, refused};
use crate::problem::Refusal;
use crate::upstream::{AddressFault, CredentialsFault, ExchangeFailure, PrepareFault, causes};

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
        answer
            .headers_mut()
            .insert(RETRY_AFTER, HeaderValue::from_static("1"));
    }
    answer
}

fn refusal_of(failure: &ExchangeFailure) -> Refusal {
    match failure {
        ExchangeFailure::Overloaded => Refusal::edge(
            StatusCode::SERVICE_UNAVAILABLE,
            "edge_overloaded",
            "The site is busy. Please try again.",
        ),
        ExchangeFailure::ConnectTimeout(_) | ExchangeFailure::FirstByteTimeout | ExchangeFailure::Timeout => {
            Refusal::edge(
                StatusCode::GATEWAY_TIMEOUT,
                "edge_origin_timeout",
                "The site did not answer in time.",
            )
        }
        ExchangeFailure::Dns(_)
        | ExchangeFailure::Refused(_)
        | ExchangeFailure::Tls(_)
        | ExchangeFailure::Unreachable(_)
        | ExchangeFailure::Terminated(_)
        | ExchangeFailure::NotHttp(_)
        | ExchangeFailure::TooLarge => Refusal::edge(
            StatusCode::BAD_GATEWAY,
            "edge_origin_failed",
            "The site could not answer.",
        ),
    }
}

/// The answer to a call that cannot be written as a request.
pub(super) fn not_prepared(fault: PrepareFault) -> Answer {
    let refusal = match fault {
        PrepareFault::Credentials(
            CredentialsFault::SeveralAuthorizations
            | CredentialsFault::LongAuthorization
            | CredentialsFault::UnreadableBasic,
        ) => Refusal::edge(
            StatusCode::BAD_REQUEST,
            "edge_bad_authorization",
            "The request must carry at most one valid Authorization.",
        ),
        PrepareFault::Address(AddressFault::NotPlain) => Refusal::edge(
            StatusCode::BAD_REQUEST,
            "edge_ambiguous_target",
            "The request target can be read in two ways.",
        ),
        PrepareFault::Address(AddressFault::UnknownRoot) => Refusal::edge(
            StatusCode::INTERNAL_SERVER_ERROR,
            "edge_internal_error",
            "The edge failed to handle the request.",
        ),
    };
    refused(&refusal)
}

/// An error and its causes on one line, cut; control and non-ASCII characters escaped (T-50).
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let texts: Vec<String> = causes(error).map(ToString::to_string).collect();
    texts.join(": ").escape_default().take(LONGEST_CAUSES).collect()
}

/// The longest log field, in bytes.
const LONGEST_CAUSES: usize = 256;
