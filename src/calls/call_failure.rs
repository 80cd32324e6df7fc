//! The outcome of a call at a backend, and the reasons why there is no response.

use crate::backend::{AddressFault, ExchangeFailure, OriginBody};
use calendar_edge_core::limits::rates::Login;
use calendar_edge_core::relay::{AcceptedResponse, OriginFailure};

/// The outcome of a call at a backend.
pub(crate) type BackendResult = Result<AcceptedResponse<OriginBody>, CallFailure>;

/// The reason why a call has no response of a backend.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CallFailure {
    /// It cannot be written as a request.
    #[error(transparent)]
    NotWritten(#[from] AddressFault),
    /// The exchange failed.
    #[error(transparent)]
    Exchange(#[from] ExchangeFailure),
    /// The response is not sound.
    #[error(transparent)]
    Unsound(#[from] OriginFailure),
    /// The record changed while a PATCH was merged with it.
    #[error("the record changed while the PATCH was merged with it")]
    Conflict,
    /// The client's precondition failed for the record.
    #[error("the precondition of the PATCH failed for the record")]
    PreconditionFailed,
    /// The site's response is no record that a PATCH can be merged with.
    #[error("the site's response is no record that the PATCH can be merged with")]
    NoRecord,
    /// The record is larger than what is held of one response, so that a PATCH cannot be merged with it.
    #[error(
        "the record is too large to be merged: it must fit what is buffered of one response, and the rest of the buffers of \
         all responses"
    )]
    RecordTooLarge,
    /// The site names no account of the caller, so that no identity can be sent.
    #[error(
        "the site does not name the caller: its response to /wp/v2/users/me has no account of the credentials"
    )]
    CallerUnknown,
    /// It outlived every deadline.
    #[error("the call outlived every deadline of its exchange")]
    Overdue,
}

// === impl CallFailure ===

impl CallFailure {
    /// The result of the login with the passwords in the call.
    pub(crate) const fn login(&self) -> Login {
        match self {
            Self::Exchange(failure) => failure.login(),
            // Not sent, or behind a read that the site granted.
            Self::NotWritten(_) | Self::Conflict | Self::PreconditionFailed => Login::NotRefused,
            Self::Unsound(_)
            | Self::NoRecord
            | Self::RecordTooLarge
            | Self::CallerUnknown
            | Self::Overdue => Login::Unproven,
        }
    }
}
