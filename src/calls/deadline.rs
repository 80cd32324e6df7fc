//! The last deadline of a call.

use std::time::Duration;

use super::calendar_call::CalendarCall;
use super::call_failure::{BackendResult, CallFailure};
use super::stage::Stage;
use calendar_edge_core::settings::BackendTimeouts;

/// The time that judging may add to the phases that have deadlines of their own.
const SLACK: Duration = Duration::from_secs(3);

/// Gives a call up that outlives every deadline below; it holds even if one of those is wrong.
#[derive(Debug)]
pub(crate) struct Deadline<S> {
    inner: S,
    limit: Duration,
}

/// The longest time that a read of the site takes.
pub(crate) fn of_reads(timeouts: &BackendTimeouts) -> Duration {
    timeouts.read + timeouts.queue + SLACK
}

// === impl Deadline ===

impl<S> Deadline<S> {
    /// The deadline of calls that one of these backends serves.
    pub(crate) fn new(inner: S, backends: &[BackendTimeouts]) -> Self {
        let longest = backends
            .iter()
            .map(|timeouts| timeouts.read.max(timeouts.write) + timeouts.queue);
        Self {
            inner,
            limit: longest.max().unwrap_or_default() + SLACK,
        }
    }
}

impl<S: Stage<CalendarCall, BackendResult>> Stage<CalendarCall, BackendResult> for Deadline<S> {
    async fn call(&self, call: CalendarCall) -> BackendResult {
        tokio::time::timeout(self.limit, self.inner.call(call))
            .await
            .unwrap_or(Err(CallFailure::Overdue))
    }
}
