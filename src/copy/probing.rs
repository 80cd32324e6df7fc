//! Reads that clients asked of late, by which the edge proves rare shapes itself.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::sleep;

use super::comparing::Comparing;
use super::copying::CopiedRead;
use crate::calls::{BackendResult, CalendarCall, Stage};
use calendar_edge_core::copy::Standing;
use calendar_edge_core::settings::Rate;

/// The last reads whose shapes are not proven.
#[derive(Debug, Default)]
pub(super) struct RecentReads(Mutex<RecentTurns>);

#[derive(Debug, Default)]
struct RecentTurns {
    reads: VecDeque<(CopiedRead, CalendarCall)>,
    /// Whether a task asks for them again.
    is_asked: bool,
}

/// The most reads that are remembered.
const MOST: usize = 200;

// === impl RecentReads ===

impl RecentReads {
    /// Notes a read. True if no task asks for such reads: the caller is to take all that come with [`Self::next`].
    pub(super) fn note(&self, read: CopiedRead, call: CalendarCall) -> bool {
        let mut queue = self.0.lock();
        if queue.reads.len() >= MOST {
            queue.reads.pop_front();
        }
        queue.reads.push_back((read, call));
        !std::mem::replace(&mut queue.is_asked, true)
    }

    /// The next read in turn; with none, the task ends.
    pub(super) fn next(&self) -> Option<(CopiedRead, CalendarCall)> {
        let mut queue = self.0.lock();
        let next = queue.reads.pop_front();
        queue.is_asked = next.is_some();
        next
    }

    /// The task ends before.
    pub(super) fn end(&self) {
        self.0.lock().is_asked = false;
    }
}

// === impl Comparing ===

impl<S: Stage<CalendarCall, BackendResult>> Comparing<S> {
    /// Asks for this read and others of late at a rate, until their shapes are proven, unless a task does so already.
    pub(super) async fn probe(self, read: CopiedRead, rate: Rate) {
        let pause = rate.period.checked_div(rate.requests).unwrap_or(Duration::MAX);
        let (inner, copies) = (Arc::downgrade(&self.inner), self.copies.clone());
        if !copies.recent().note(read, self.call) {
            return;
        }
        drop(self.inner);
        while let Some((read, call)) = copies.recent().next() {
            if copies.standing(&read.shape) == Standing::Proven {
                continue;
            }
            sleep(pause).await;
            // Other settings have another stage.
            let Some(inner) = inner.upgrade() else {
                return copies.recent().end();
            };
            let comparing = Self {
                inner,
                copies: copies.clone(),
                call: call.clone(),
            };
            // Nothing can be compared while the site may know more.
            if copies.current().is_none() || comparing.compare_unless_queued(&read).await {
                copies.recent().note(read, call);
            }
        }
    }
}
