//! The end of a call's way: to the site, or to the backend of the rule that took the call.

use http::HeaderValue;
use tokio::time::timeout;

use super::cutover::{Cutover, Cutovers};
use super::metrics::CutoverResponse;
use crate::calls::{BackendResult, CalendarCall, CallFailure, CallRoute, Dispatch, Stage};
use calendar_edge_core::migration::cutover::RuleEvent;

/// Sends each call where its route leads, and reports the outcome to the guard of the rule.
#[derive(Debug)]
pub(crate) struct BackendSelection {
    /// The way to the site.
    pub(crate) primary: Dispatch,
    pub(crate) cutovers: Cutovers,
}

impl Stage<CalendarCall, BackendResult> for BackendSelection {
    async fn call(&self, call: CalendarCall) -> BackendResult {
        let rule = match &call.route {
            CallRoute::Primary => None,
            CallRoute::Excluded(rule) => Some(*rule),
            CallRoute::Candidate(candidate) => Some(candidate.rule),
        };
        match rule.and_then(|rule| self.cutovers.get(rule)?.as_ref()) {
            None => self.primary.call(call).await,
            Some(cutover) if call.route.candidate().is_some() => cutover.send_to_backend(call).await,
            Some(Cutover { rule_state, .. }) => {
                let result = self.primary.call(call).await;
                rule_state
                    .metrics()
                    .served(rule_state.name(), CutoverResponse::Site);
                result
            }
        }
    }
}

// === impl Cutover ===

impl Cutover {
    async fn send_to_backend(&self, call: CalendarCall) -> BackendResult {
        // Before the guard counts for the backend: this request goes to the site.
        let identity = match self.way.identity(&call).await {
            Ok(identity) => identity,
            Err(answer) => return answer,
        };
        let client = call.client.forwarded.client();
        let result = self.attempt(call, identity).await;
        self.rule_state
            .metrics()
            .served(self.rule_state.name(), CutoverResponse::Backend);
        let event = match &result {
            Ok(accepted) => RuleEvent::of_response(accepted.effective_status(), accepted.is_streamed()),
            // Nothing was sent.
            Err(CallFailure::NotWritten(_)) => RuleEvent::Answered,
            Err(_) => RuleEvent::Failed,
        };
        self.rule_state.observe(event, client);
        result
    }

    /// Sends a call. One that may fall back leaves the site enough time for a response.
    async fn attempt(&self, call: CalendarCall, identity: Option<HeaderValue>) -> BackendResult {
        if call.may_fall_back() {
            let attempt = timeout(self.first_attempt, self.way.send(call, identity)).await;
            return attempt.unwrap_or(Err(CallFailure::Overdue));
        }
        self.way.send(call, identity).await
    }
}
