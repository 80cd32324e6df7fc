//! Stored responses that a write may have changed are removed before its own response leaves.

use std::sync::Arc;
use std::time::Duration;

use super::store::Cache;
use crate::calls::{BackendResult, CalendarCall, CallFailure, Stage};
use crate::companion::Announcements;
use calendar_edge_core::cache::{Removal, RemovalCause, WriteEnd, WritePlace, written_by};
use calendar_edge_core::settings::Timeouts;

/// Removes responses that writes may have changed.
///
/// There are two: one in the task of the write, which runs to its end even if the client leaves, and one above the last
/// deadline, where a response leaves while the write goes on.
#[derive(Debug)]
pub(crate) struct Invalidating<S> {
    inner: S,
    place: WritePlace,
    cache: Arc<Cache>,
    announcements: Arc<Announcements>,
    /// The time after which a write of unknown end is over.
    longest_write: Duration,
}

/// The longest wait for the other edges of a fleet to receive it, before the response to a write leaves.
const SENDING: Duration = Duration::from_millis(50);

// === impl Invalidating ===

impl<S> Invalidating<S> {
    pub(crate) fn new(
        inner: S,
        place: WritePlace,
        backends: &[Timeouts],
        cache: &Arc<Cache>,
        announcements: &Arc<Announcements>,
    ) -> Self {
        let writes = backends.iter().map(Timeouts::longest_write);
        Self {
            inner,
            place,
            cache: cache.clone(),
            announcements: announcements.clone(),
            longest_write: writes.max().unwrap_or_default(),
        }
    }

    /// Removes it here, and waits a little until the other edges of a fleet have received it.
    async fn discard(&self, removal: Removal, end: WriteEnd) {
        if !end.removes() {
            return;
        }
        let is_sent = end.is_reported_in(self.place);
        let sent = is_sent.then(|| self.announcements.send_write(&removal));
        self.cache.begin_removal(&removal, RemovalCause::Write);
        if end.removes_again() {
            let (cache, announcements) = (self.cache.clone(), self.announcements.clone());
            let pause = self.longest_write;
            tokio::spawn(async move {
                tokio::time::sleep(pause).await;
                announcements.send_write(&removal);
                cache.begin_removal(&removal, RemovalCause::Write);
            });
        }
        if let Some(sent) = sent {
            sent.within(SENDING).await;
        }
    }
}

impl<S: Stage<CalendarCall, BackendResult>> Stage<CalendarCall, BackendResult> for Invalidating<S> {
    async fn call(&self, call: CalendarCall) -> BackendResult {
        let removal = written_by(&call.call);
        let result = self.inner.call(call).await;
        if let Some(removal) = removal {
            self.discard(removal, write_end(&result)).await;
        }
        result
    }
}

/// The end of a write by its response, or by the reason why there is none.
fn write_end(result: &BackendResult) -> WriteEnd {
    match result {
        Ok(accepted) => {
            let body = accepted.whole_body();
            WriteEnd::of_response(accepted.effective_status(), body.as_deref())
        }
        Err(
            CallFailure::NotWritten(_)
            | CallFailure::Conflict
            | CallFailure::PreconditionFailed
            | CallFailure::NoRecord
            | CallFailure::CallerUnknown
            | CallFailure::RecordTooLarge,
        ) => WriteEnd::Unchanged,
        Err(CallFailure::Exchange(failure)) if failure.is_before_sending() => WriteEnd::Unchanged,
        // The site responded, but not as it should: a fatal error after a change.
        Err(CallFailure::Unsound(_)) => WriteEnd::Over,
        Err(CallFailure::Exchange(_) | CallFailure::Overdue) => WriteEnd::Unknown,
    }
}

#[cfg(test)]
#[expect(
    clippy::result_large_err,
    reason = "stages return the same result from a future"
)]
mod tests {
    use http::StatusCode;
    use tokio::time::{Instant, sleep};

    use super::*;
    use crate::calls::fake_stage::{EVENT, FakeStage, call, responded, settings};
    use crate::companion::Connectivity;
    use crate::telemetry::Metrics;
    use calendar_edge_core::relay::BufferBudget;

    /// The removals of a call.
    #[derive(Debug, PartialEq)]
    struct Seen {
        /// Removals before the stage below had responded.
        early: u64,
        /// Removals when the response left, and messages to the other edges.
        at_response: (u64, usize),
        /// The same an hour later.
        in_the_end: (u64, usize),
        waited: Duration,
    }

    const WRITE: Duration = Duration::from_secs(9);

    /// One call through the stage in its place, above a backend that takes a second, in a fleet whose store does not
    /// respond.
    async fn seen(
        place: WritePlace,
        method: &str,
        result: impl Fn(&CalendarCall) -> BackendResult + Send + Sync + 'static,
    ) -> Seen {
        let buffers = BufferBudget::new(1 << 20);
        let cache = Arc::new(Cache::new(&settings().cache, &Metrics::new(), &buffers));
        let removals = {
            let (cache, before) = (Arc::clone(&cache), cache.generation());
            move || cache.generation() - before
        };
        let announcements: Arc<Announcements> = Arc::default();
        announcements.set_connectivity(Connectivity::Together);
        let below = FakeStage::later(move |call: &CalendarCall| {
            let result = result(call);
            async move {
                sleep(Duration::from_secs(1)).await;
                result
            }
        });
        let timeouts = Timeouts {
            origin_write: WRITE,
            ..settings().site().timeouts
        };
        let stage = Invalidating::new(Arc::clone(&below), place, &[timeouts], &cache, &announcements);
        let started = Instant::now();
        let early = async {
            sleep(Duration::from_millis(999)).await;
            removals()
        };
        let call = stage.call(call(&settings(), method, "/events/56", EVENT));
        let (_, early) = tokio::join!(call, early);
        let waited = started.elapsed().saturating_sub(Duration::from_secs(1));
        let mut told = announcements.take(9).len();
        let at_response = (removals(), told);
        sleep(Duration::from_hours(1)).await;
        told += announcements.take(9).len();
        Seen {
            early,
            at_response,
            in_the_end: (removals(), told),
            waited,
        }
    }

    fn stays(waited: Duration, seen: (u64, usize)) -> Seen {
        Seen {
            early: 0,
            at_response: seen,
            in_the_end: seen,
            waited,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_write_is_removed_after_it_and_before_its_response_leaves() {
        let ok = |call: &CalendarCall| responded(call, StatusCode::OK, "{}");
        let task = seen(WritePlace::Task, "PUT", ok).await;
        assert_eq!(
            task,
            stays(SENDING, (1, 1)),
            "the other edges have a moment to receive it"
        );
        let client = seen(WritePlace::Client, "PUT", ok).await;
        assert_eq!(
            client,
            stays(Duration::ZERO, (1, 0)),
            "it was sent in the task of the write"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_write_of_unknown_end_is_removed_again_when_it_is_over() {
        for place in [WritePlace::Client, WritePlace::Task] {
            let unknown = seen(place, "PUT", |_| Err(CallFailure::Overdue)).await;
            let expected = Seen {
                in_the_end: (2, 2),
                ..stays(SENDING, (1, 1))
            };
            assert_eq!(unknown, expected, "{place:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_changes_nothing_removes_nothing() {
        let refused = |call: &CalendarCall| responded(call, StatusCode::FORBIDDEN, "{}");
        let nothing = || stays(Duration::ZERO, (0, 0));
        for place in [WritePlace::Client, WritePlace::Task] {
            assert_eq!(seen(place, "PUT", refused).await, nothing());
            let conflict = seen(place, "PUT", |_| Err(CallFailure::Conflict)).await;
            assert_eq!(conflict, nothing());
            let read = seen(place, "GET", |call| responded(call, StatusCode::OK, "{}")).await;
            assert_eq!(read, nothing());
        }
    }
}
