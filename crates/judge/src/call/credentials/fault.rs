//! The reasons not to accept credentials.

use crate::problem::{OwnError, Problem, Refusal};

/// The reason why credentials are not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CredentialsFault {
    /// Two Authorization fields: servers differ in which one counts.
    #[error("more than one Authorization")]
    SeveralAuthorizations,
    /// A value longer than any real one.
    #[error("the Authorization is too long")]
    LongAuthorization,
    /// A scheme that is not accepted, or Basic without `name:password` inside; refused by the strict profile, and Basic
    /// in any but its exact form where settings go by account names.
    #[error("the Authorization cannot be read")]
    Unreadable,
}

// === impl CredentialsFault ===

impl CredentialsFault {
    /// The response to the client.
    pub fn refusal(self) -> Refusal {
        match self {
            Self::SeveralAuthorizations | Self::LongAuthorization | Self::Unreadable => {
                Refusal::plain(Problem::Own(OwnError::BAD_AUTHORIZATION))
            }
        }
    }
}
