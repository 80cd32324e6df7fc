//! Reads that clients asked of late, by which the edge proves rare shapes itself.

use std::collections::VecDeque;

use parking_lot::Mutex;

use super::copying::CopiedRead;
use crate::calls::CalendarCall;

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
