//! Credentials that are not accepted.

use super::fault::CredentialsFault;
use super::identity::Identity;

/// Credentials that are neither judged nor forwarded; rate limits still count them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{fault}")]
pub struct RejectedCredentials {
    /// The reason why they are not accepted.
    pub fault: CredentialsFault,
    /// The identity that the request counts as.
    pub identity: Identity,
}
