//! Stored responses that a write may have changed are removed before its own answer leaves.

use std::time::Duration;

use http::StatusCode;

use crate::backend::OriginBody;
use crate::cache::Cache;
use crate::companion::Announcements;
use crate::gateway::calls::{BackendResult, CalendarCall, CallFailure};
use crate::gateway::stage::Stage;
use calendar_edge_core::cache::{Removal, refused_whole, written_by};
use calendar_edge_core::relay::AcceptedResponse;
use calendar_edge_core::settings::BackendTimeouts;

/// Removes what writes may have changed.
///
/// There are two: one in the task of the write, which runs to its end even if the client leaves, and one above the last
/// deadline, where an answer leaves while the write goes on.
#[derive(Debug)]
pub(in crate::gateway) struct Invalidating<S> {
    inner: S,
    place: WritePlace,
    cache: Cache,
    announcements: Announcements,
    /// The time after which a write of unknown end is over.
    longest_write: Duration,
}

/// Where a stage stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::gateway) enum WritePlace {
    /// In the task of the write.
    Task,
    /// Above the last deadline.
    Client,
}

/// The longest wait for the other edges of a fleet to be told, before the answer to a write leaves.
const TELLING: Duration = Duration::from_millis(50);

/// What is known about a write when its answer leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WriteEnd {
    /// It changed nothing.
    Unchanged,
    /// It is over.
    Over,
    /// The site may still be at it.
    Unknown,
}

// === impl Invalidating ===

impl<S> Invalidating<S> {
    pub(in crate::gateway) fn new(
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

    /// Removes it here, and waits a little until the other edges of a fleet are told.
    async fn discard(&self, removal: Removal, end: WriteEnd) {
        if end == WriteEnd::Unchanged {
            return;
        }
        // The stage in the task of the write has told what is over.
        let is_told = (self.place, end) == (WritePlace::Client, WriteEnd::Over);
        let telling = (!is_told).then(|| self.announcements.tell_write(&removal));
        self.cache.remove_written(&removal);
        if end == WriteEnd::Unknown {
            // Once more when the site has certainly ended it: what was read meanwhile may be older.
            let (cache, announcements) = (self.cache.clone(), self.announcements.clone());
            let pause = self.longest_write;
            tokio::spawn(async move {
                tokio::time::sleep(pause).await;
                announcements.tell_write(&removal);
                cache.remove_written(&removal);
            });
        }
        if let Some(telling) = telling {
            telling.within(TELLING).await;
        }
    }
}

impl<S> Stage<CalendarCall> for Invalidating<S>
where
    S: Stage<CalendarCall, Response = BackendResult>,
{
    type Response = BackendResult;

    async fn call(&self, call: CalendarCall) -> BackendResult {
        let removal = written_by(&call.call);
        let result = self.inner.call(call).await;
        if let Some(removal) = removal {
            self.discard(removal, WriteEnd::of(&result)).await;
        }
        result
    }
}

// === impl WriteEnd ===

impl WriteEnd {
    fn of(result: &BackendResult) -> Self {
        match result {
            Ok(accepted) => Self::of_answer(accepted),
            Err(
                CallFailure::NotWritten(_)
                | CallFailure::Conflict
                | CallFailure::PreconditionFailed
                | CallFailure::NoRecord
                | CallFailure::CallerUnknown
                | CallFailure::RecordTooLarge,
            ) => Self::Unchanged,
            Err(CallFailure::Exchange(failure)) if failure.is_before_sending() => Self::Unchanged,
            // The site answered, but not as it should: a fatal error after a change.
            Err(CallFailure::Unsound(_)) => Self::Over,
            Err(CallFailure::Exchange(_) | CallFailure::Overdue) => Self::Unknown,
        }
    }

    fn of_answer(accepted: &AcceptedResponse<OriginBody>) -> Self {
        // An envelope that was not read hides the status.
        let status = accepted.effective_status().unwrap_or(StatusCode::OK);
        if refused_whole(status, accepted.whole_body().as_deref()) {
            Self::Unchanged
        } else {
            Self::Over
        }
    }
}
