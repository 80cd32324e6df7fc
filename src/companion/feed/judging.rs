//! Asks an anonymous reader what became of records that have changed.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use futures_util::future::join_all;

use super::change_feed::ChangeFeed;
use crate::backend::pauses;
use crate::server::Drain;
use calendar_edge_core::companion::feed::{RecordName, RecordVerdict};

/// Asks the cache or the site for a record as an anonymous reader does.
pub(crate) trait AsksSite: fmt::Debug + Send + Sync {
    /// What a reader finds.
    fn ask(&self, name: RecordName) -> Pin<Box<dyn Future<Output = RecordVerdict> + Send + '_>>;
}

/// The most records that are asked for at once: they take permits that clients need.
const AT_ONCE: usize = 4;

/// How often the pause after a question without an answer doubles, from a second on.
const LONGEST_PAUSE: u32 = 5;

// === impl ChangeFeed ===

impl ChangeFeed {
    /// Has all pending changes judged, unless that is under way. Only while somebody reads: until then, several changes of
    /// a record cost one question.
    pub(crate) fn begin_judging(&self, site: &Arc<dyn AsksSite>, drain: &Drain) {
        if !self.is_pending() {
            return;
        }
        let Some(turn) = self.judging() else { return };
        let (feed, site, end) = (self.clone(), Arc::clone(site), drain.clone());
        drain.spawn(async move {
            end.unless_begun(feed.judge_all(&*site)).await;
            drop(turn);
        });
    }

    async fn judge_all(&self, site: &dyn AsksSite) {
        let mut failures = 0;
        loop {
            let asked = self.asks(AT_ONCE);
            if asked.is_empty() {
                return;
            }
            let verdicts = asked.into_iter().map(|asked| async move {
                let verdict = site.ask(asked.name()).await;
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
