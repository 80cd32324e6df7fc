//! The reasons why an origin cannot be used, with messages that name the remedy.

use std::error::Error;
use std::io;

use calendar_edge_core::relay::mark_advice;

/// Why the index of a namespace could not be had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    /// No connection.
    #[error("the origin cannot be reached: {0}")]
    Unreachable(String),
    /// TLS failed, or the certificate is not trusted.
    #[error("TLS fails: {0}; the certificate must be valid for the host in `{1}`")]
    Tls(String, &'static str),
    /// No response in time.
    #[error("no complete answer within `timeouts.origin_connect` and `timeouts.origin_read`")]
    TooSlow,
    /// The response broke off or was not HTTP.
    #[error("the answer cannot be read: {0}")]
    Broken(String),
    /// The origin redirects to another URL.
    #[error("status {status} redirects to {location}; redirects are not followed: {advice}")]
    Redirect {
        status: u16,
        location: String,
        advice: String,
    },
    /// The REST API works, but it does not have this namespace.
    #[error("no namespace `{wanted}` there: {advice}")]
    WrongNamespace { wanted: String, advice: String },
    /// The REST API requires a login or is switched off.
    #[error("status {status} ({code}): the REST API must be open to anonymous reads")]
    Closed { status: u16, code: String },
    /// The companion plugin does not take the mark.
    #[error(
        "the companion plugin of the site refuses the edge ({code}): {}",
        mark_advice(code)
    )]
    MarkRefused { code: String },
    /// A page instead of JSON.
    #[error(
        "status {status} with {found} instead of JSON: `{key}` must be the REST root, usually …/wp-json, and \
             the site must use pretty permalinks"
    )]
    NotJson {
        status: u16,
        found: String,
        key: &'static str,
    },
    /// JSON that is not an index.
    #[error("status {status} ({code})")]
    Refused { status: u16, code: String },
    /// More bytes than the edge accepts.
    #[error("the answer is larger than `limits.response_bytes`")]
    TooLarge,
}

// === impl Trouble ===

impl Trouble {
    /// Classifies a failed exchange; `key` is the setting with the address.
    pub(crate) fn of_exchange(error: &reqwest::Error, key: &'static str) -> Self {
        let cause = deepest(error);
        if error.is_timeout() {
            return Self::TooSlow;
        }
        if is_tls(error) {
            return Self::Tls(cause, key);
        }
        if error.is_connect() {
            return Self::Unreachable(cause);
        }
        Self::Broken(cause)
    }
}

fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    let first: &(dyn Error + 'static) = error;
    std::iter::successors(Some(first), |&cause| cause.source())
}

fn deepest(error: &reqwest::Error) -> String {
    causes(error)
        .last()
        .map_or_else(|| error.to_string(), ToString::to_string)
}

fn is_tls(error: &reqwest::Error) -> bool {
    causes(error).any(|cause| hidden(cause).is::<rustls::Error>())
}

/// The error inside an I/O error, which is not in the chain of sources; I/O errors may be nested.
fn hidden<'a>(cause: &'a (dyn Error + 'static)) -> &'a (dyn Error + 'static) {
    match cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(payload) => hidden(payload),
        None => cause,
    }
}
