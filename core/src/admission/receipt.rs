//! What a request was charged on entry.

use super::bucket_store::Charge;
use super::fields::RateLimitStatus;

/// What a request was charged on entry. [`Budgets::refund`](super::Budgets::refund) gives back what counts only for
/// failed logins; without it, all stays spent.
#[derive(Debug, Default)]
#[must_use = "a request whose login was not refused gets a refund"]
pub struct Receipt {
    pub(super) status: RateLimitStatus,
    /// What a failed login costs.
    pub(super) logins: Vec<Charge>,
}

// === impl Receipt ===

impl Receipt {
    /// What the client has left.
    pub const fn status(&self) -> &RateLimitStatus {
        &self.status
    }
}
