//! The charges of a request on entry.

use super::bucket_store::Charge;
use super::rate_limit_fields::RateLimitStatus;

/// The charges of a request on entry. [`Budgets::return_charges`](super::Budgets::return_charges) gives back what counts only for
/// failed logins; without it, all stays spent.
#[derive(Debug, Default)]
#[must_use = "a request whose login was not refused gets its charges back"]
pub struct Charges {
    pub(super) status: RateLimitStatus,
    /// The cost of a failed login.
    pub(super) logins: Vec<Charge>,
}

// === impl Charges ===

impl Charges {
    /// The rest of the client's budgets.
    pub const fn status(&self) -> &RateLimitStatus {
        &self.status
    }
}
