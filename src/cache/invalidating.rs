//! Stored responses that a write may have changed are removed before its own response leaves.

use std::time::Duration;

use super::store::Cache;
use crate::calls::{BackendResult, CalendarCall, CallFailure, Stage};
use crate::companion::Announcements;
use calendar_edge_core::cache::{Removal, RemovalCause, WriteEnd, WritePlace, written_by};
use calendar_edge_core::settings::BackendTimeouts;

/// Removes responses that writes may have changed.
///
/// There are two: one in the task of the write, which runs to its end even if the client leaves, and one above the last
/// deadline, where a response leaves while the write goes on.
#[derive(Debug)]
pub(crate) struct Invalidating<S> {
    inner: S,
    place: WritePlace,
    cache: Cache,
    announcements: Announcements,
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
        backends: &[BackendTimeouts],
        cache: &Cache,
        announcements: &Announcements,
    ) -> Self {
        let writes = backends.iter().map(|timeouts| timeouts.write);
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
        let is_sent = end.is_told_in(self.place);
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
