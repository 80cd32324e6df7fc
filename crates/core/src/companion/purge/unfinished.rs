//! The oldest change that the site has begun and not finished, which may be one that no run of PHP will finish.

use std::time::Duration;

use crate::unix_time::UnixTime;

/// The oldest unfinished change at one site, as the edge has received it.
///
/// A run of PHP notes that a change begins before it stores anything, and gives the change its number at its end. A run
/// that is killed in between sends nothing. So a change that stays unfinished counts as a change after `patience`, and
/// again after each further `patience`, because its run may still be at work.
#[derive(Debug, Clone, Copy, Default)]
pub struct UnfinishedChange {
    begun_at: Option<UnixTime>,
    /// The time at which it counted last.
    counted_at: UnixTime,
}

// === impl UnfinishedChange ===

impl UnfinishedChange {
    /// A response of the site shows how long ago the change was begun; none: every change is finished.
    pub fn shown(&mut self, age: Option<Duration>, now: UnixTime) {
        self.begun_at = age.map(|age| now.saturating_sub(age));
    }

    /// True if there is one, as far as is known.
    pub const fn is_known(&self) -> bool {
        self.begun_at.is_some()
    }

    /// True if one was begun at least so long ago.
    pub fn is_overdue(&self, patience: Duration, now: UnixTime) -> bool {
        let is_past = |time| now.saturating_since(time) >= patience;
        self.begun_at.is_some_and(is_past)
    }

    /// True, once in each `patience`, if the change was begun at least so long ago. Then everything has to be removed.
    #[must_use]
    pub fn counts(&mut self, patience: Duration, now: UnixTime) -> bool {
        let counts = self.is_overdue(patience, now) && now.saturating_since(self.counted_at) >= patience;
        if counts {
            self.counted_at = now;
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(5);

    fn at(seconds: u64) -> UnixTime {
        UnixTime::from_secs(1000 + seconds)
    }

    fn begun(age: u64, now: u64) -> UnfinishedChange {
        let mut change = UnfinishedChange::default();
        change.shown(Some(Duration::from_secs(age)), at(now));
        change
    }

    #[test]
    fn a_change_that_is_finished_in_time_never_counts() {
        let mut change = begun(0, 0);
        assert!(change.is_known());
        assert!(!change.counts(PATIENCE, at(4)));
        change.shown(None, at(4));
        assert!(!change.is_known());
        assert!(!change.counts(PATIENCE, at(100)));
    }

    #[test]
    fn a_change_that_nobody_finishes_counts_in_each_patience() {
        let mut change = begun(0, 0);
        let counted: Vec<u64> = (0..17).filter(|now| change.counts(PATIENCE, at(*now))).collect();
        assert_eq!(counted, [5, 10, 15]);
    }

    #[test]
    fn a_change_that_is_found_late_counts_at_once() {
        let mut change = begun(40, 0);
        assert!(change.counts(PATIENCE, at(0)));
        assert!(!change.counts(PATIENCE, at(1)));
    }

    #[test]
    fn changes_that_follow_one_another_do_not_add_up() {
        let mut change = begun(0, 0);
        for now in 1..100 {
            change.shown(Some(Duration::from_secs(now % 4)), at(now));
            assert!(!change.counts(PATIENCE, at(now)));
        }
    }
}
