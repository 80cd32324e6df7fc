//! Credentials that are not accepted.

use super::identity::Identity;
use crate::problem::{EdgeError, Refusal};

/// Why credentials are not accepted.
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

/// Credentials that are neither judged nor forwarded; rate limits still count them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{fault}")]
pub struct RejectedCredentials {
    fault: CredentialsFault,
    identity: Identity,
}

// === impl CredentialsFault ===

impl CredentialsFault {
    /// What the client is told.
    pub fn refusal(self) -> Refusal {
        match self {
            Self::SeveralAuthorizations | Self::LongAuthorization | Self::Unreadable => {
                Refusal::edge(EdgeError::BadAuthorization)
            }
        }
    }
}

// === impl RejectedCredentials ===

impl RejectedCredentials {
    pub(super) const fn new(fault: CredentialsFault, identity: Identity) -> Self {
        Self { fault, identity }
    }

    /// Why they are not accepted.
    pub const fn fault(&self) -> CredentialsFault {
        self.fault
    }

    /// As whom the request counts.
    pub const fn identity(&self) -> &Identity {
        &self.identity
    }
}
