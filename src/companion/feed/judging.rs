//! Reads changed records as an anonymous reader, and notes the verdicts.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::{BoxFuture, join_all};
use http::StatusCode;

use super::change_feed::ChangeFeed;
use crate::backend::pauses;
use crate::server::Drain;
use calendar_edge_core::companion::feed::{RecordName, RecordVerdict};
use calendar_edge_core::gateway::authority::PublicAddress;

/// The most records that are read at once: they take permits that clients need.
pub(super) const AT_ONCE: usize = 4;

/// Reads records as an anonymous reader does: from the cache, or from the site.
pub(crate) trait ReadsRecords: fmt::Debug + Send + Sync {
    /// The response at a public address, in a namespace, or else at those of the settings. No body if it has more than
    /// `most` bytes or ends early; none where the edge refuses the read.
    fn read<'a>(
        &'a self,
        name: RecordName,
        at: Option<(&'a PublicAddress, Option<&'a str>)>,
        most: usize,
    ) -> BoxFuture<'a, Option<RecordRead>>;
}

/// The response to a read of a record.
#[derive(Debug)]
pub(crate) struct RecordRead {
    pub(crate) status: StatusCode,
    pub(crate) body: Option<Bytes>,
    /// True if a backend was read for it.
    pub(crate) is_of_backend: bool,
}

/// The most bytes of one record.
const LARGEST: usize = 4 << 20;

/// The number of times that the pause after a failed read doubles, from one second on.
const LONGEST_PAUSE: u32 = 5;

// === impl ChangeFeed ===

impl ChangeFeed {
    /// Has all pending changes judged, unless that is under way. Only while there is a reader: until then, several
    /// changes of a record cost one read.
    pub(crate) fn begin_judging(self: &Arc<Self>, records: &Arc<dyn ReadsRecords>, drain: &Drain) {
        if !self.is_pending() {
            return;
        }
        let Ok(turn) = Arc::clone(&self.judging).try_lock_owned() else {
            return;
        };
        let (feed, records, end) = (Arc::clone(self), Arc::clone(records), drain.clone());
        drain.spawn(async move {
            end.unless_begun(feed.judge_all(&*records)).await;
            drop(turn);
            // A waiting reader may take the turn.
            feed.moved.send_replace(());
        });
    }

    async fn judge_all(&self, records: &dyn ReadsRecords) {
        let mut failures = 0;
        loop {
            let asked = self.records_to_read(AT_ONCE);
            if asked.is_empty() {
                return;
            }
            let verdicts = asked.into_iter().map(|asked| async move {
                let name = asked.name;
                let verdict = match records.read(name, None, LARGEST).await {
                    Some(RecordRead { status, body, .. }) => {
                        RecordVerdict::of_response(name.kind, status, body.as_deref().unwrap_or_default())
                    }
                    None => RecordVerdict::Refused,
                };
                let has_failed = verdict == RecordVerdict::Failed;
                self.judged(asked, verdict);
                has_failed
            });
            if join_all(verdicts).await.into_iter().any(|has_failed| has_failed) {
                tokio::time::sleep(pauses::after(failures.min(LONGEST_PAUSE), None)).await;
                failures += 1;
            } else {
                failures = 0;
            }
        }
    }
}
