//! Rate limits, by client address and by credentials.
//!
//! Every request to the calendar is charged before anything is judged: a flood of requests that would be refused is
//! still a flood. A request that exceeds a limit costs neither a body nor a judgement.

use std::time::Instant;

use crate::fleet::Fleet;
use crate::gateway::Shared;
use crate::gateway::calls::{CallRequest, CallResponse, Login};
use crate::gateway::fault;
use crate::gateway::stage::Stage;
use crate::layers::EdgeResponse;
use crate::layers::RefusalReason;
use crate::telemetry::RateLimitMetrics;
use calendar_edge_core::gateway::refusals::DecidingBody;
use calendar_edge_core::limits::rates::{Budgets, Charges, Client, Exceeded};
use calendar_edge_core::settings::RateLimits;

/// Answers 429 when a limit is exceeded; tells every other client how much is left.
#[derive(Debug)]
pub(in crate::gateway) struct RateLimit<S> {
    inner: S,
    budgets: Budgets,
    fleet: Fleet,
    metrics: RateLimitMetrics,
}

// === impl RateLimit ===

impl<S> RateLimit<S> {
    pub(in crate::gateway) fn new(inner: S, limits: &RateLimits, shared: &Shared) -> Self {
        Self {
            inner,
            budgets: Budgets::new(limits, &shared.buckets),
            fleet: shared.fleet.clone(),
            metrics: shared.metrics.rate_limits().clone(),
        }
    }

    /// Charges a call, and a failed login for all edges of a fleet.
    async fn charge(&self, request: &CallRequest) -> Result<Charges, Exceeded> {
        let (address, opened) = (request.asked.context.client.address, &request.opened);
        let client = Client::new(address, opened.identity());
        let mut charged = self.budgets.spend(client, opened.cost(), Instant::now())?;
        let logins = self.fleet.limits().logins();
        logins.charge(&self.budgets, &mut charged).await?;
        Ok(charged)
    }
}

impl<S> Stage<CallRequest> for RateLimit<S>
where
    S: Stage<CallRequest, Response = CallResponse>,
{
    type Response = EdgeResponse;

    async fn call(&self, request: CallRequest) -> EdgeResponse {
        if self.budgets.are_unset() {
            self.metrics.passed();
            return self.inner.call(request).await.response;
        }
        let charged = match self.charge(&request).await {
            Ok(charged) => charged,
            Err(exceeded) => {
                self.metrics.refused(exceeded.budget);
                let reason = RefusalReason::moment("a rate limit holds in every mode");
                request.asked.refused(DecidingBody::None, reason);
                return fault::too_fast(&exceeded);
            }
        };
        self.metrics.passed();
        let CallResponse {
            mut response, login, ..
        } = self.inner.call(request).await;
        charged.status().write(response.headers_mut());
        if login == Login::NotRefused {
            let back = self.budgets.return_charges(charged, Instant::now());
            self.fleet
                .limits()
                .logins()
                .give_back(back, self.budgets.buckets());
        }
        response
    }
}
