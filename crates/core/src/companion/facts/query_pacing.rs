//! The pause after queries that failed, and the size of the next one.

use std::time::Duration;

use crate::unix_time::UnixTime;

/// The time until which no query is sent, and the size of the next one.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct QueryPacing {
    failures: u32,
    since: Option<(UnixTime, Duration)>,
    /// The number of times that the size was halved.
    halvings: u32,
    /// The replies since it was halved, or doubled.
    replies: u32,
}

// === impl QueryPacing ===

impl QueryPacing {
    /// The longest pause after failures.
    const LONGEST: Duration = Duration::from_mins(1);

    /// A thirty-second of the size is the least.
    const MOST_HALVINGS: u32 = 5;

    /// The replies after which the size doubles.
    const ENOUGH: u32 = 8;

    pub(super) fn goes_on(self, now: UnixTime) -> bool {
        let is_past = |(since, time)| now.checked_since(since).is_none_or(|age| age >= time);
        self.since.is_some_and(|since| !is_past(since))
    }

    /// The size of the next query where `full` is the usual one: half after each failure, as a slow site may need more
    /// time for the whole than it has.
    pub(super) const fn size(self, full: usize) -> usize {
        full >> self.halvings
    }

    /// A query failed: the pause grows, and the next query is half as large.
    pub(super) fn failed(&mut self, now: UnixTime) {
        self.hold(now);
        self.replies = 0;
        self.halvings = Self::MOST_HALVINGS.min(self.halvings + 1);
    }

    /// A reply was taken: the pause ends, and after some replies the size grows again.
    pub(super) fn replied(&mut self) {
        self.failures = 0;
        self.since = None;
        self.replies += 1;
        if self.replies >= Self::ENOUGH {
            self.replies = 0;
            self.halvings = self.halvings.saturating_sub(1);
        }
    }

    /// The pause grows.
    pub(super) fn hold(&mut self, now: UnixTime) {
        let pause = Duration::from_secs(1 << self.failures.min(6)).min(Self::LONGEST);
        self.failures = self.failures.saturating_add(1);
        self.since = Some((now, pause));
    }

    /// A pause of this length, whatever failed before.
    pub(super) const fn begin(&mut self, now: UnixTime, length: Duration) {
        self.since = Some((now, length));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_that_failed_is_halved_and_grows_again_with_replies() {
        let mut pacing = QueryPacing::default();
        let now = UnixTime::from_secs(0);
        let sizes: Vec<usize> = (0..7)
            .map(|_| {
                let size = pacing.size(500);
                pacing.failed(now);
                size
            })
            .collect();
        assert_eq!(sizes, [500, 250, 125, 62, 31, 15, 15]);
        assert!(pacing.goes_on(now));
        for expected in [15, 31, 62, 125, 250, 500, 500] {
            assert_eq!(pacing.size(500), expected);
            for _ in 0..QueryPacing::ENOUGH {
                pacing.replied();
            }
        }
        assert!(!pacing.goes_on(now));
    }
}
