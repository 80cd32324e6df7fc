//! Credentials that are not accepted.

use super::fault::CredentialsFault;
use super::identity::Identity;

/// Credentials that are neither judged nor forwarded; rate limits still count them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{fault}")]
pub struct RejectedCredentials {
    fault: CredentialsFault,
    identity: Identity,
}

// === impl RejectedCredentials ===

impl RejectedCredentials {
    pub(super) const fn new(fault: CredentialsFault, identity: Identity) -> Self {
        Self { fault, identity }
    }

    /// The reason why they are not accepted.
    pub const fn fault(&self) -> CredentialsFault {
        self.fault
    }

    /// The identity that the request counts as.
    pub const fn identity(&self) -> &Identity {
        &self.identity
    }
}
