//! How exchanges with backends end, as a label.

use http::StatusCode;

use super::labels::class_label;

/// The end of an exchange with a backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExchangeOutcome {
    /// The head of a response with this status.
    Answered(StatusCode),
    /// No response.
    Failed(FailureKind),
}

/// Why an exchange failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FailureKind {
    /// There was no permit.
    Overloaded,
    /// The breaker was open.
    Unavailable,
    /// The name was not resolved.
    Dns,
    /// The connection was refused.
    Refused,
    /// The TLS handshake failed.
    Tls,
    /// There was no connection for another reason.
    Unreachable,
    /// The connection took too long.
    ConnectTimeout,
    /// The head of the response took too long.
    FirstByteTimeout,
    /// The response took too long.
    Timeout,
    /// The connection ended early.
    Terminated,
    /// The bytes were not HTTP.
    NotHttp,
    /// The head of the response was ambiguous or too large.
    OddHead,
    /// The body of the response was too large.
    TooLarge,
    /// The client was slow, and its permit was given to another request.
    Recalled,
}

/// The labels of all outcomes: classes of statuses, then failures before the head of a response.
pub(super) const OUTCOMES: [&str; 18] = [
    "1xx",
    "2xx",
    "3xx",
    "4xx",
    "5xx",
    "other",
    FailureKind::Overloaded.name(),
    FailureKind::Unavailable.name(),
    FailureKind::Dns.name(),
    FailureKind::Refused.name(),
    FailureKind::Tls.name(),
    FailureKind::Unreachable.name(),
    FailureKind::ConnectTimeout.name(),
    FailureKind::FirstByteTimeout.name(),
    FailureKind::Timeout.name(),
    FailureKind::Terminated.name(),
    FailureKind::NotHttp.name(),
    FailureKind::OddHead.name(),
];

// === impl ExchangeOutcome ===

impl ExchangeOutcome {
    /// Its stable name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Answered(status) => class_label(status),
            Self::Failed(kind) => kind.name(),
        }
    }
}

// === impl FailureKind ===

impl FailureKind {
    /// Its stable name in metrics and log lines.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Overloaded => "overloaded",
            Self::Unavailable => "unavailable",
            Self::Dns => "dns",
            Self::Refused => "refused",
            Self::Tls => "tls",
            Self::Unreachable => "unreachable",
            Self::ConnectTimeout => "connect_timeout",
            Self::FirstByteTimeout => "first_byte_timeout",
            Self::Timeout => "timeout",
            Self::Terminated => "terminated",
            Self::NotHttp => "not_http",
            Self::OddHead => "odd_head",
            Self::TooLarge => "too_large",
            Self::Recalled => "recalled",
        }
    }
}
