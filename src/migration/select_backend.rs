//! The end of a call's way: to the site, or to the backend of the rule that took the call.

use std::net::IpAddr;
use std::time::Instant;

use http::HeaderValue;
use tokio::time::timeout;

use super::cutover::{Cutover, Cutovers};
use super::rule_state::RuleState;
use crate::calls::{BackendResult, CalendarCall, CallFailure, CallRoute, Dispatch, Stage};
use crate::telemetry::CutoverResponse;
use calendar_edge_core::migration::cutover::RuleEvent;

/// Sends each call where its route leads, and tells the guard of the rule what came of it.
#[derive(Debug)]
pub(crate) struct BackendSelection {
    /// The way to the site.
    pub(crate) primary: Dispatch,
    pub(crate) cutovers: Cutovers,
}

/// A call at the backend of a rule; dropped before its end, it says that its client has left.
struct Attempt<'a> {
    rule_state: &'a RuleState,
    client: Option<IpAddr>,
    started: Instant,
    has_ended: bool,
}

// === impl BackendSelection ===

impl BackendSelection {
    /// Asks the site, as whose response the guard of a rule takes the time.
    async fn ask_primary(&self, call: CalendarCall, rule_state: &RuleState) -> BackendResult {
        let is_write = call.call.is_write();
        let client = call.client.forwarded.client();
        let started = Instant::now();
        let result = self.primary.call(call).await;
        rule_state
            .metrics()
            .answered(rule_state.name(), CutoverResponse::Site);
        let event = match &result {
            Ok(accepted) => RuleEvent::of_primary(accepted.effective_status(), started.elapsed()),
            Err(_) => None,
        };
        if let Some(event) = event.filter(|_| !is_write) {
            rule_state.observe(event, client);
        }
        result
    }
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
            Some(cutover) if call.route.candidate().is_some() => cutover.ask(call).await,
            Some(cutover) => self.ask_primary(call, &cutover.rule_state).await,
        }
    }
}

// === impl Cutover ===

impl Cutover {
    async fn ask(&self, call: CalendarCall) -> BackendResult {
        // Before the backend is held to account: this asks the site.
        let identity = match self.way.identity(&call).await {
            Ok(identity) => identity,
            Err(answer) => return answer,
        };
        let mut attempt = Attempt {
            rule_state: &self.rule_state,
            client: call.client.forwarded.client(),
            started: Instant::now(),
            has_ended: false,
        };
        let result = self.attempt(call, identity).await;
        self.rule_state
            .metrics()
            .answered(self.rule_state.name(), CutoverResponse::Backend);
        attempt.end(&result);
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

// === impl Attempt ===

impl Attempt<'_> {
    fn end(&mut self, result: &BackendResult) {
        self.has_ended = true;
        let took = self.started.elapsed();
        let event = match result {
            Ok(accepted) => RuleEvent::of_response(accepted.effective_status(), accepted.is_streamed(), took),
            // Nothing was sent.
            Err(CallFailure::NotWritten(_)) => RuleEvent::Answered(took),
            Err(_) => RuleEvent::Failed,
        };
        self.rule_state.observe(event, self.client);
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        if !self.has_ended {
            let event = RuleEvent::GivenUp(self.started.elapsed());
            self.rule_state.observe(event, self.client);
        }
    }
}
