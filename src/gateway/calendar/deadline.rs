//! The last deadline of a call.

use std::time::Duration;

use crate::gateway::calls::{BackendResult, CalendarCall, CallFailure};
use crate::gateway::stage::Stage;
use calendar_edge_core::settings::Settings;

/// The time that judging may add to the phases that have deadlines of their own.
const SLACK: Duration = Duration::from_secs(3);

/// Gives a call up that outlives every deadline below; it holds even if one of those is wrong.
#[derive(Debug)]
pub(in crate::gateway) struct Deadline<S> {
    inner: S,
    limit: Duration,
}

/// The longest time that a read of the site takes.
pub(in crate::gateway) fn of_reads(settings: &Settings) -> Duration {
    settings.timeouts.origin_read + settings.timeouts.origin_queue + SLACK
}

// === impl Deadline ===

impl<S> Deadline<S> {
    pub(in crate::gateway) fn new(inner: S, settings: &Settings) -> Self {
        let own = settings.timeouts.origin_read.max(settings.timeouts.origin_write);
        let backends = settings.backends.iter();
        let backends = backends.map(|backend| backend.read_timeout.max(backend.write_timeout));
        Self {
            inner,
            limit: backends.fold(own, Duration::max) + settings.timeouts.origin_queue + SLACK,
        }
    }
}

impl<S> Stage<CalendarCall> for Deadline<S>
where
    S: Stage<CalendarCall, Response = BackendResult>,
{
    type Response = BackendResult;

    async fn call(&self, call: CalendarCall) -> BackendResult {
        tokio::time::timeout(self.limit, self.inner.call(call))
            .await
            .unwrap_or(Err(CallFailure::Overdue))
    }
}
