//! The budgets of clients, charged at this edge and, for logins, at the store of its fleet.

use std::sync::Arc;
use std::time::Instant;

use http::HeaderValue;
use http::header::AUTHORIZATION;

use crate::calls::fault;
use crate::fleet::Fleet;
use crate::layers::{BodilessRequest, EdgeResponse};
use crate::telemetry::{RateLimitMetrics, RefusalNote};
use calendar_edge_core::gateway::refusals::DecidingBody;
use calendar_edge_core::limits::rates::{
    Budgets, Charges, Client, CostClass, Exceeded, Login, RateLimitStatus, SharedBuckets,
};
use calendar_edge_core::settings::RateLimits;
use calendar_edge_judge::call::credentials::Identity;

/// Charges requests to the budgets of their clients.
#[derive(Debug)]
pub(super) struct RateLimiter {
    pub(super) budgets: Budgets,
    fleet: Arc<Fleet>,
    metrics: RateLimitMetrics,
}

// === impl RateLimiter ===

impl RateLimiter {
    pub(super) fn new(
        limits: &RateLimits,
        buckets: &SharedBuckets,
        fleet: &Arc<Fleet>,
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
        received: &BodilessRequest,
        identity: &Identity,
        cost: CostClass,
    ) -> Result<Charges, Exceeded> {
        let client = client(received, identity);
        let spent = self.budgets.spend(client, cost, Instant::now());
        self.charge_at_store(client, spent).await
    }

    /// Charges a call alone; its login is charged on its way to the site.
    ///
    /// # Errors
    /// The budget that is used up.
    pub(super) fn charge_only(
        &self,
        received: &BodilessRequest,
        identity: &Identity,
        cost: CostClass,
    ) -> Result<RateLimitStatus, Exceeded> {
        self.budgets
            .spend_again(client(received, identity), cost, Instant::now())
    }

    /// Charges passwords that a request beside the calendar tries, all or none.
    ///
    /// # Errors
    /// The budget that is used up.
    pub(super) async fn charge_logins(
        &self,
        received: &BodilessRequest,
        tried: &[Identity],
    ) -> Result<Vec<Charges>, Exceeded> {
        let mut paid = Vec::new();
        for identity in tried {
            let client = client(received, identity);
            let spent = self.budgets.spend_login(client, Instant::now());
            match self.charge_at_store(client, spent).await {
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

    async fn charge_at_store(
        &self,
        client: Client<'_>,
        spent: Result<Charges, Exceeded>,
    ) -> Result<Charges, Exceeded> {
        let logins = &self.fleet.limits.logins;
        let charged = match spent {
            Ok(mut charged) => logins.charge(&self.budgets, &mut charged).await.map(|()| charged),
            Err(exceeded) => Err(exceeded),
        };
        charged.inspect_err(|exceeded| self.budgets.look_up_login(client, exceeded))
    }

    /// Notes the result of a request's login, as the site's response shows it.
    pub(super) fn note_login(&self, charged: &Charges, login: Login) {
        self.budgets.note_login(charged, login, Instant::now());
    }

    /// Gives back charges that count only for failed logins.
    pub(super) fn return_charges(&self, charged: Charges) {
        let back = self.budgets.return_charges(charged, Instant::now());
        let logins = &self.fleet.limits.logins;
        logins.give_back(back, &self.budgets.buckets);
    }

    /// The 429 for a request beyond a budget.
    pub(super) fn refuse(&self, received: &BodilessRequest, exceeded: &Exceeded) -> EdgeResponse {
        self.metrics.refused(exceeded.budget);
        let reason = RefusalNote::moment("a rate limit holds in every mode");
        received.refused(DecidingBody::None, reason);
        fault::too_fast(exceeded)
    }
}

/// The client of a request, as its budgets know it.
fn client<'a>(received: &'a BodilessRequest, identity: &'a Identity) -> Client<'a> {
    let shown = received.head.headers.get(AUTHORIZATION);
    let address = received.context.client;
    Client {
        address: address.address,
        identity,
        authorization: shown.map(HeaderValue::as_bytes),
        scheme: address.scheme.as_str(),
        is_read: received.head.method.is_safe(),
    }
}
