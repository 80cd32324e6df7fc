//! Calls that other backends serve, and the way back of reads that fail there.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::time::timeout;

use super::began_body::watched;
use super::cutover::Cutovers;
use super::metrics::CutoverResponse;
use super::rule_state::RuleState;
use crate::calls::{CalendarCall, CallFailure, CallResponse, CallRoute, Stage, deadline, fault};
use crate::telemetry::Warnings;
use calendar_edge_core::migration::cutover::{CutoverCall, CutoverPlan, Placer};
use calendar_edge_core::settings::{BackendSettings, Settings};

/// Decides which backend serves a call.
///
/// It stands above the cache, whose keys name the backend: a response of one backend never goes to clients of another.
#[derive(Debug)]
pub(crate) struct CuttingOver<S> {
    pub(crate) inner: S,
    pub(crate) warnings: Warnings,
    /// None without a rule.
    pub(crate) rules: Option<CutoverRules>,
}

/// The rules, and the state that their decisions depend on.
#[derive(Debug)]
pub(crate) struct CutoverRules {
    plan: CutoverPlan,
    cutovers: Cutovers,
    placer: Arc<Placer>,
    /// The time for a read with its fallback.
    longest_read: Duration,
}

// === impl CuttingOver ===

impl<S: Stage<CalendarCall, CallResponse>> CuttingOver<S> {
    /// Sends the call to the backend. A read that fails there, or has no response when its rule is returned, goes to
    /// the site; both within the time of one read.
    async fn send_to_backend(
        &self,
        call: CalendarCall,
        rule_state: &Arc<RuleState>,
        longest: Duration,
    ) -> CallResponse {
        let (started, client) = (Instant::now(), call.client.forwarded.client());
        if call.call.is_write() {
            return watched(self.inner.call(call).await, rule_state, client);
        }
        let falls_back = call.may_fall_back();
        let again = CalendarCall {
            route: CallRoute::Primary,
            ..call.clone()
        };
        let response = tokio::select! {
            biased;
            response = self.inner.call(call) => Some(response),
            () = rule_state.returned() => None,
        };
        match response {
            Some(response)
                if !response.response.status().is_server_error()
                    || !(falls_back || rule_state.is_returned()) =>
            {
                watched(response, rule_state, client)
            }
            Some(_) | None => {
                let left = longest.saturating_sub(started.elapsed());
                self.send_to_site(again, rule_state, left).await
            }
        }
    }

    async fn send_to_site(&self, call: CalendarCall, rule_state: &RuleState, left: Duration) -> CallResponse {
        rule_state
            .metrics()
            .served(rule_state.name(), CutoverResponse::Fallback);
        match timeout(left, self.inner.call(call)).await {
            Ok(response) => response,
            Err(_) => fault::call_failed(&CallFailure::Overdue, &self.warnings),
        }
    }
}

impl<S: Stage<CalendarCall, CallResponse>> Stage<CalendarCall, CallResponse> for CuttingOver<S> {
    async fn call(&self, call: CalendarCall) -> CallResponse {
        let Some(rules) = &self.rules else {
            return self.inner.call(call).await;
        };
        let (route, rule_state) = rules.route_of(&call);
        let call = CalendarCall { route, ..call };
        match rule_state {
            Some(rule_state) => Box::pin(self.send_to_backend(call, rule_state, rules.longest_read)).await,
            None => self.inner.call(call).await,
        }
    }
}

// === impl CutoverRules ===

impl CutoverRules {
    /// The rules of these settings; none without any.
    pub(crate) fn new(
        settings: &Settings,
        site: &BackendSettings,
        cutovers: &Cutovers,
        placer: Arc<Placer>,
    ) -> Option<Self> {
        Some(Self {
            plan: CutoverPlan::new(settings)?,
            cutovers: Arc::clone(cutovers),
            placer,
            longest_read: deadline::of_reads(&site.timeouts),
        })
    }

    /// The backend of the first rule about a call whose share has its client, and the state of that rule.
    fn route_of(&self, call: &CalendarCall) -> (CallRoute, Option<&Arc<RuleState>>) {
        let Some(operation) = call.call.operation() else {
            return (CallRoute::Primary, None);
        };
        let asked = CutoverCall {
            operation,
            root: call.call.request().root,
            is_personal: call.call.expects_privacy(),
        };
        let mut excluded = CallRoute::Primary;
        for (index, rule) in self.plan.rules_about(asked) {
            let Some(Some(cutover)) = self.cutovers.get(index) else {
                continue;
            };
            let identity = call.call.credentials().identity();
            let place = self
                .placer
                .place(&rule.backend, call.client.forwarded.client(), identity);
            if cutover.rule_state.share().covers(place) {
                let route = CallRoute::Candidate(Arc::clone(&cutover.route));
                return (route, Some(&cutover.rule_state));
            }
            if matches!(excluded, CallRoute::Primary) {
                excluded = CallRoute::Excluded(index);
            }
        }
        (excluded, None)
    }
}
