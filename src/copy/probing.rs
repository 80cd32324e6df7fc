//! Reads that clients asked of late, by which the edge proves rare shapes itself.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::copying::CopiedRead;
use crate::calls::CalendarCall;
use calendar_edge_core::settings::Rate;

/// The last reads whose shapes are not proven.
#[derive(Debug, Default)]
pub(super) struct RecentReads(Mutex<RecentTurns>);

#[derive(Debug, Default)]
struct RecentTurns {
    reads: VecDeque<(CopiedRead, CalendarCall)>,
    /// The next question is asked then at the earliest.
    due: Option<Instant>,
}

/// The most reads that are remembered.
const MOST: usize = 200;

// === impl RecentReads ===

impl RecentReads {
    /// Notes a read.
    pub(super) fn note(&self, read: CopiedRead, call: CalendarCall) {
        let mut queue = self.0.lock();
        if queue.reads.len() >= MOST {
            queue.reads.pop_front();
        }
        queue.reads.push_back((read, call));
    }

    /// A read to be asked again, if the rate permits one now. Reads are taken in turn.
    pub(super) fn next(&self, rate: Rate, now: Instant) -> Option<(CopiedRead, CalendarCall)> {
        let mut queue = self.0.lock();
        if queue.due.is_some_and(|due| now < due) {
            return None;
        }
        let next = queue.reads.pop_front()?;
        let pause = rate.period.checked_div(rate.requests).unwrap_or(Duration::MAX);
        queue.due = Some(now + pause);
        Some(next)
    }
}
