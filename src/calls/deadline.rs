//! The last deadline of a call.

use std::time::Duration;

use super::calendar_call::CalendarCall;
use super::call_failure::{BackendResult, CallFailure};
use super::stage::Stage;
use calendar_edge_core::settings::Timeouts;

/// The time that judging may add to the phases that have deadlines of their own.
const SLACK: Duration = Duration::from_secs(3);

/// Gives a call up that outlives every deadline below; it holds even if one of those is wrong.
#[derive(Debug)]
pub(crate) struct Deadline<S> {
    inner: S,
    limit: Duration,
}

/// The longest time that a read of the site takes.
pub(crate) fn of_reads(timeouts: &Timeouts) -> Duration {
    timeouts.longest_read() + timeouts.origin_queue + SLACK
}

// === impl Deadline ===

impl<S> Deadline<S> {
    /// The deadline of calls that one of these backends serves.
    pub(crate) fn new(inner: S, backends: &[Timeouts]) -> Self {
        let longest = backends
            .iter()
            .map(|timeouts| timeouts.longest_read().max(timeouts.longest_write()) + timeouts.origin_queue);
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

#[cfg(test)]
mod tests {
    use http::StatusCode;
    use tokio::time::{Instant, sleep};

    use super::super::fake_stage::{FakeStage, read, responded, settings};
    use super::*;

    /// The outcome of a read whose backend takes this time, when it came, and what the backend has done then.
    async fn outcome(time: Duration) -> (BackendResult, Duration, [usize; 2]) {
        let below = FakeStage::later(move |call: &CalendarCall| {
            let result = responded(call, StatusCode::OK, "{}");
            async move {
                sleep(time).await;
                result
            }
        });
        let of = |[read, write, queue]: [u64; 3]| Timeouts {
            origin_read: Duration::from_secs(read),
            origin_write: Duration::from_secs(write),
            origin_queue: Duration::from_secs(queue),
            ..settings().site().timeouts
        };
        let backends = [of([4, 9, 1]), of([5, 2, 2]), of([1, 1, 1])];
        let deadline = Deadline::new(std::sync::Arc::clone(&below), &backends);
        let started = Instant::now();
        let result = deadline.call(read(&settings(), "/events")).await;
        (result, started.elapsed(), [below.begun(), below.ended()])
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_has_the_longest_time_of_all_backends_and_no_more() {
        let longest = Duration::from_secs(10) + SLACK;
        let just_in_time = longest.saturating_sub(Duration::from_millis(1));
        let (result, after, calls) = outcome(just_in_time).await;
        assert!(
            result.is_ok() && after == just_in_time,
            "{result:?} after {after:?}"
        );
        assert_eq!(calls, [1, 1]);
        let (result, after, calls) = outcome(Duration::from_hours(1)).await;
        assert!(matches!(result, Err(CallFailure::Overdue)), "{result:?}");
        assert_eq!((after, calls), (longest, [1, 0]));
    }
}
