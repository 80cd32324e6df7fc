//! Why an exchange with the origin failed, as far as the transport can tell.

use std::error::Error;
use std::io;
use std::time::Duration;

use super::breaker::Health;
use super::response_head::ResponseHeadFault;

/// Why there is no answer of the origin, or only a part of one.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ExchangeFailure {
    /// Every place toward the origin and in the queue is taken.
    #[error("too many exchanges with the origin are running")]
    Overloaded,
    /// The origin is out of order, and reads are kept from it for a while.
    #[error("the origin is out of order")]
    Unavailable {
        /// When it makes sense to ask again.
        wait: Duration,
    },
    /// The origin's name does not resolve.
    #[error("the origin's name could not be resolved")]
    Dns(#[source] reqwest::Error),
    /// Nobody listens there.
    #[error("the origin refused the connection")]
    Refused(#[source] reqwest::Error),
    /// TLS could not be agreed on, or the certificate does not fit.
    #[error("TLS with the origin failed")]
    Tls(#[source] reqwest::Error),
    /// The origin cannot be reached for another reason.
    #[error("the origin could not be reached")]
    Unreachable(#[source] reqwest::Error),
    /// The connection was not made in time.
    #[error("the origin did not accept the connection in time")]
    ConnectTimeout(#[source] reqwest::Error),
    /// The answer did not begin in time.
    #[error("the origin did not begin its answer in time")]
    FirstByteTimeout,
    /// The answer did not end in time.
    #[error("the origin did not finish its answer in time")]
    Timeout,
    /// The connection ended before the answer did.
    #[error("the origin ended the connection early")]
    Terminated(#[source] reqwest::Error),
    /// What came was no HTTP.
    #[error("the origin's answer is not HTTP")]
    NotHttp(#[source] reqwest::Error),
    /// What came was HTTP, but nobody should rely on it.
    #[error(transparent)]
    ResponseHead(#[from] ResponseHeadFault),
    /// The answer's body is larger than allowed.
    #[error("the origin's answer is too large")]
    TooLarge,
    /// The client took its answer slowly, and others waited for the place.
    #[error("the client is slow and others wait for the origin")]
    Preempted,
}

// === impl ExchangeFailure ===

impl ExchangeFailure {
    /// Reads what the client library says, by types and never by text.
    pub(super) fn from_reqwest(error: reqwest::Error) -> Self {
        // The URL holds a visitor's words, `password` among them: no log line may repeat it.
        let error = error.without_url();
        if error.is_connect() {
            return Self::from_connect(error);
        }
        if error.is_timeout() {
            return Self::Timeout;
        }
        let unreadable = causes(&error)
            .filter_map(|cause| cause.downcast_ref::<hyper::Error>())
            .any(|cause| cause.is_parse() || cause.is_parse_too_large());
        if unreadable {
            return Self::NotHttp(error);
        }
        Self::Terminated(error)
    }

    fn from_connect(error: reqwest::Error) -> Self {
        if error.is_timeout() {
            return Self::ConnectTimeout(error);
        }
        if error.is_dns() {
            return Self::Dns(error);
        }
        let io = || causes(&error).filter_map(|cause| cause.downcast_ref::<io::Error>());
        if io().any(speaks_of_tls) {
            return Self::Tls(error);
        }
        if io().any(|cause| cause.kind() == io::ErrorKind::ConnectionRefused) {
            return Self::Refused(error);
        }
        Self::Unreachable(error)
    }

    /// The `error` of `Proxy-Status` (RFC 9209 section 2.3).
    pub(crate) const fn proxy_error(&self) -> &'static str {
        match self {
            Self::Overloaded | Self::Preempted => "connection_limit_reached",
            Self::Dns(_) => "dns_error",
            Self::Refused(_) => "connection_refused",
            Self::Tls(_) => "tls_protocol_error",
            Self::Unavailable { .. } | Self::Unreachable(_) => "destination_unavailable",
            Self::ConnectTimeout(_) => "connection_timeout",
            Self::FirstByteTimeout | Self::Timeout => "http_response_timeout",
            Self::Terminated(_) => "http_response_incomplete",
            Self::ResponseHead(ResponseHeadFault::TooLarge) => "http_response_header_section_size",
            Self::NotHttp(_) | Self::ResponseHead(ResponseHeadFault::Framing) => "http_protocol_error",
            Self::TooLarge => "http_response_body_size",
        }
    }

    /// The kind as a metric label.
    pub(crate) const fn label(&self) -> &'static str {
        match self {
            Self::Overloaded => "overloaded",
            Self::Unavailable { .. } => "unavailable",
            Self::Dns(_) => "dns",
            Self::Refused(_) => "refused",
            Self::Tls(_) => "tls",
            Self::Unreachable(_) => "unreachable",
            Self::ConnectTimeout(_) => "connect_timeout",
            Self::FirstByteTimeout => "first_byte_timeout",
            Self::Timeout => "timeout",
            Self::Terminated(_) => "terminated",
            Self::NotHttp(_) => "not_http",
            Self::ResponseHead(_) => "odd_head",
            Self::TooLarge => "too_large",
            Self::Preempted => "recalled",
        }
    }

    /// What the failure tells about the origin; nothing where the edge itself, or one answer, is the cause.
    pub(crate) const fn health(&self) -> Option<Health> {
        match self {
            Self::Overloaded | Self::Unavailable { .. } | Self::Preempted => None,
            // Whoever answers in another tongue, or too much, is there.
            Self::NotHttp(_) | Self::ResponseHead(_) | Self::TooLarge => Some(Health::Alive),
            Self::Dns(_)
            | Self::Refused(_)
            | Self::Tls(_)
            | Self::Unreachable(_)
            | Self::ConnectTimeout(_)
            | Self::FirstByteTimeout
            | Self::Timeout
            | Self::Terminated(_) => Some(Health::Outage),
        }
    }

    /// Whether the connection broke without an answer, as a pooled one does that the origin just closed.
    pub(super) const fn may_be_a_stale_connection(&self) -> bool {
        matches!(self, Self::Terminated(_))
    }
}

/// The error and its sources, outermost first.
pub(crate) fn causes<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| (*error).source())
}

/// Whether an I/O error wraps one of the TLS library, perhaps in another I/O error: `source` leaves those out.
fn speaks_of_tls(error: &io::Error) -> bool {
    let Some(inner) = error.get_ref() else {
        return false;
    };
    inner.is::<rustls::Error>() || inner.downcast_ref::<io::Error>().is_some_and(speaks_of_tls)
}
