//! The budgets of clients, charged at this edge and, for logins, at the store of its fleet.

use std::time::Instant;

use crate::calls::fault;
use crate::fleet::Fleet;
use crate::layers::{AskedRequest, EdgeResponse, RefusalReason};
use crate::telemetry::RateLimitMetrics;
use calendar_edge_core::gateway::refusals::DecidingBody;
use calendar_edge_core::limits::rates::{Budgets, Charges, Client, CostClass, Exceeded, SharedBuckets};
use calendar_edge_core::settings::RateLimits;
use calendar_edge_judge::call::credentials::Identity;

/// Charges requests to the budgets of their clients.
#[derive(Debug)]
pub(super) struct RateLimiter {
    pub(super) budgets: Budgets,
    fleet: Fleet,
    metrics: RateLimitMetrics,
}

// === impl RateLimiter ===

impl RateLimiter {
    pub(super) fn new(
        limits: &RateLimits,
        buckets: &SharedBuckets,
        fleet: &Fleet,
        metrics: &RateLimitMetrics,
    ) -> Self {
        Self {
            budgets: Budgets::new(limits, buckets),
            fleet: fleet.clone(),
            metrics: metrics.clone(),
        }
    }

    /// Charges a call, and a failed login for all edges of a fleet.
    ///
    /// # Errors
    /// The budget that is used up.
    pub(super) async fn charge(
        &self,
        asked: &AskedRequest,
        identity: &Identity,
        cost: CostClass,
    ) -> Result<Charges, Exceeded> {
        let client = Client::new(asked.context.client.address, identity);
        let mut charged = self.budgets.spend(client, cost, Instant::now())?;
        self.charge_at_store(&mut charged).await?;
        Ok(charged)
    }

    /// Charges passwords that a request beside the calendar tries, all or none.
    ///
    /// # Errors
    /// The budget that is used up.
    pub(super) async fn charge_logins(
        &self,
        asked: &AskedRequest,
        tried: &[Identity],
    ) -> Result<Vec<Charges>, Exceeded> {
        let mut paid = Vec::new();
        for identity in tried {
            match self.charge_login(asked, identity).await {
                Ok(charges) => paid.push(charges),
                Err(exceeded) => {
                    for charges in paid {
                        self.return_charges(charges);
                    }
                    return Err(exceeded);
                }
            }
        }
        Ok(paid)
    }

    async fn charge_login(&self, asked: &AskedRequest, identity: &Identity) -> Result<Charges, Exceeded> {
        let client = Client::new(asked.context.client.address, identity);
        let mut charged = self.budgets.spend_login(client, Instant::now())?;
        self.charge_at_store(&mut charged).await?;
        Ok(charged)
    }

    async fn charge_at_store(&self, charged: &mut Charges) -> Result<(), Exceeded> {
        let logins = self.fleet.limits().logins();
        logins.charge(&self.budgets, charged).await
    }

    /// Gives back what counts only for failed logins.
    pub(super) fn return_charges(&self, charged: Charges) {
        let back = self.budgets.return_charges(charged, Instant::now());
        let logins = self.fleet.limits().logins();
        logins.give_back(back, self.budgets.buckets());
    }

    /// The 429 for a request beyond a budget.
    pub(super) fn refuse(&self, asked: &AskedRequest, exceeded: &Exceeded) -> EdgeResponse {
        self.metrics.refused(exceeded.budget);
        let reason = RefusalReason::moment("a rate limit holds in every mode");
        asked.refused(DecidingBody::None, reason);
        fault::too_fast(exceeded)
    }
}
