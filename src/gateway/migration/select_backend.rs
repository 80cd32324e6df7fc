//! The end of a call's way: to the site, or to the backend of the rule that took the call.

use std::sync::Arc;
use std::time::Instant;

use tokio::time::timeout;

use super::route::{CallRoute, Cutover};
use crate::gateway::calls::{BackendResult, CalendarCall, CallFailure};
use crate::gateway::dispatch::Dispatch;
use crate::gateway::stage::Stage;
use crate::migration::RuleSeat;
use crate::telemetry::CutoverAnswer;
use calendar_edge_core::migration::cutover::RuleEvent;

/// Sends each call where its route leads, and tells the guard of the rule what came of it.
#[derive(Debug)]
pub(in crate::gateway) struct Forking {
    owner: Dispatch,
}

/// A call at the backend of a rule; dropped before its end, it says that its client has left.
struct Attempt<'a> {
    seat: &'a RuleSeat,
    started: Instant,
    has_ended: bool,
}

// === impl Forking ===

impl Forking {
    pub(in crate::gateway) const fn new(owner: Dispatch) -> Self {
        Self { owner }
    }

    /// Asks the site, as whose answer the guard of a rule takes the time.
    async fn ask_owner(&self, call: CalendarCall, seat: &Arc<RuleSeat>) -> BackendResult {
        let is_write = call.call.is_write();
        let started = Instant::now();
        let result = self.owner.call(call).await;
        seat.metrics().answered(seat.name(), CutoverAnswer::Site);
        if !is_write && !has_failed(&result) {
            seat.observe(RuleEvent::OwnerAnswered(started.elapsed()));
        }
        result
    }
}

impl Stage<CalendarCall> for Forking {
    type Response = BackendResult;

    async fn call(&self, call: CalendarCall) -> BackendResult {
        match call.route.clone() {
            CallRoute::Owner => self.owner.call(call).await,
            CallRoute::Spared(seat) => self.ask_owner(call, &seat).await,
            CallRoute::Further(cutover) => cutover.ask(call).await,
        }
    }
}

// === impl Cutover ===

impl Cutover {
    async fn ask(&self, call: CalendarCall) -> BackendResult {
        let mut attempt = Attempt {
            seat: &self.seat,
            started: Instant::now(),
            has_ended: false,
        };
        let result = self.attempt(call).await;
        self.seat
            .metrics()
            .answered(self.seat.name(), CutoverAnswer::Backend);
        attempt.end(&result);
        result
    }

    /// Sends a call. One that may fall back leaves the site enough time for an answer.
    async fn attempt(&self, call: CalendarCall) -> BackendResult {
        if call.may_fall_back() {
            let attempt = timeout(self.first_attempt, self.way.call(call)).await;
            return attempt.unwrap_or(Err(CallFailure::Overdue));
        }
        self.way.call(call).await
    }
}

/// Returns true if a client would see a failure.
fn has_failed(result: &BackendResult) -> bool {
    match result {
        Ok(accepted) => accepted
            .effective_status()
            .is_some_and(|status| status.is_server_error()),
        Err(CallFailure::NotWritten(_)) => false,
        Err(_) => true,
    }
}

// === impl Attempt ===

impl Attempt<'_> {
    fn end(&mut self, result: &BackendResult) {
        self.has_ended = true;
        self.seat.observe(if has_failed(result) {
            RuleEvent::Failed
        } else {
            RuleEvent::Answered(self.started.elapsed())
        });
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        if !self.has_ended {
            self.seat.observe(RuleEvent::GivenUp(self.started.elapsed()));
        }
    }
}
