//! The changes that the site has counted, and which of them were reported to the edge.

use std::collections::BTreeSet;
use std::time::Duration;

use super::purge_request::PurgeRequest;
use crate::cache::Removal;
use crate::unix_time::UnixTime;

/// The state of the changes at one site, as far as an edge has received them.
///
/// Each change has a number. A message has the numbers of its changes; each REST response of the site shows the
/// highest number so far. A number that is shown but not reported belongs to a message that is late or lost: after a
/// grace everything has to be removed. Times are those of one clock that only goes forward.
#[derive(Debug, Clone, Default)]
pub struct ChangeTracker {
    /// Every change up to this one was reported; none until the first number is received.
    settled: Option<u64>,
    /// Later changes that were reported.
    ahead: BTreeSet<u64>,
    /// The highest number received.
    highest: u64,
    /// The time at which the first change was noticed that was not reported.
    gap_since: Option<UnixTime>,
}

// === impl ChangeTracker ===

impl ChangeTracker {
    /// The most changes that are remembered beyond a gap.
    const MOST_AHEAD: usize = 1024;

    /// The state after a restart: every change up to this one was reported.
    pub fn resumed(settled: u64) -> Self {
        Self {
            settled: Some(settled),
            highest: settled,
            ..Self::default()
        }
    }

    /// The last change before the first one that was not reported. Read it before an exchange begins, for
    /// [`Self::shown`].
    pub fn settled(&self) -> Option<u64> {
        self.settled
    }

    /// A message reported changes; its invalidation is done.
    pub fn reported(&mut self, purge: &PurgeRequest, now: UnixTime) {
        let Some(last) = purge.changes.iter().max().copied() else {
            return;
        };
        self.highest = self.highest.max(last);
        let settled = *self.settled.get_or_insert(last);
        if purge.removal == Removal::All {
            self.settled = Some(settled.max(last));
        } else {
            self.ahead
                .extend(purge.changes.iter().filter(|number| **number > settled));
        }
        self.settle(now);
    }

    /// A response of the site shows a number; `before` is [`Self::settled`] when its exchange began.
    ///
    /// Returns true if it is outdated: older than a change that the edge had received before it sent the request. A
    /// cache between the two keeps responses, and this one must not be kept.
    pub fn shown(&mut self, number: u64, before: Option<u64>, now: UnixTime) -> bool {
        if before.is_some_and(|before| number < before) {
            return true;
        }
        self.settled.get_or_insert(number);
        self.highest = self.highest.max(number);
        self.settle(now);
        false
    }

    /// Takes the site's response to the edge's own request, which no cache in between can give; `before` is
    /// [`Self::settled`] when the request was sent. True if the count began anew, so that everything has to be removed.
    #[must_use]
    pub fn responded(&mut self, number: u64, before: Option<u64>, now: UnixTime) -> bool {
        if !self.shown(number, before, now) {
            return false;
        }
        *self = Self::resumed(number);
        true
    }

    /// True, once, if a change was noticed longer than `grace` ago and is still not reported. Then
    /// everything has to be removed.
    #[must_use]
    pub fn missed(&mut self, grace: Duration, now: UnixTime) -> bool {
        let is_late = self
            .gap_since
            .is_some_and(|since| now.saturating_since(since) >= grace);
        if is_late || self.ahead.len() > Self::MOST_AHEAD {
            self.settled = Some(self.highest);
            self.settle(now);
            return true;
        }
        false
    }

    /// True if the site has counted a change that was not reported yet.
    pub(crate) const fn has_gap(&self) -> bool {
        self.gap_since.is_some()
    }

    /// Moves on over the changes that follow one another, and notes whether one is left out.
    fn settle(&mut self, now: UnixTime) {
        let Some(mut settled) = self.settled else {
            return;
        };
        self.ahead = self.ahead.split_off(&settled.saturating_add(1));
        while self.ahead.remove(&settled.saturating_add(1)) {
            settled = settled.saturating_add(1);
        }
        self.settled = Some(settled);
        self.gap_since = match self.gap_since {
            _ if settled >= self.highest => None,
            Some(since) => Some(since),
            None => Some(now),
        };
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const GRACE: Duration = Duration::from_secs(1);

    fn at(millis: u64) -> UnixTime {
        UnixTime::from_millis(millis)
    }

    fn message(changes: &[u64]) -> PurgeRequest {
        PurgeRequest {
            removal: Removal::Tags(vec![]),
            changes: changes.to_vec(),
            hidden: Vec::new(),
        }
    }

    fn everything(changes: &[u64]) -> PurgeRequest {
        PurgeRequest {
            removal: Removal::All,
            changes: changes.to_vec(),
            hidden: Vec::new(),
        }
    }

    /// A tracker of a site that is at this number.
    fn at_number(number: u64) -> ChangeTracker {
        let mut tracker = ChangeTracker::default();
        assert!(!tracker.shown(number, None, at(0)));
        tracker
    }

    #[test]
    fn messages_in_order_leave_no_gap() {
        let mut tracker = at_number(4);
        for number in 5..9 {
            tracker.reported(&message(&[number]), at(number));
            assert_eq!(tracker.settled(), Some(number));
        }
        assert!(!tracker.shown(8, tracker.settled(), at(9)));
        assert!(!tracker.missed(GRACE, at(100_000)));
    }

    #[test]
    fn messages_out_of_order_close_their_gap() {
        let mut tracker = at_number(4);
        tracker.reported(&message(&[6]), at(0));
        assert_eq!((tracker.settled(), tracker.gap_since), (Some(4), Some(at(0))));
        assert!(!tracker.missed(GRACE, at(999)));
        tracker.reported(&message(&[5]), at(999));
        assert_eq!((tracker.settled(), tracker.gap_since), (Some(6), None));
        assert!(!tracker.missed(GRACE, at(100_000)));
    }

    #[test]
    fn a_lost_message_is_noticed_once() {
        let mut tracker = at_number(4);
        assert!(!tracker.shown(5, Some(4), at(100)));
        assert!(!tracker.shown(5, Some(4), at(900)));
        assert!(!tracker.missed(GRACE, at(1099)));
        assert!(tracker.missed(GRACE, at(1100)));
        assert!(!tracker.missed(GRACE, at(9000)));
        assert_eq!(tracker.settled(), Some(5));
    }

    #[test]
    fn what_was_missed_and_is_sent_again_closes_the_gap() {
        let mut tracker = at_number(4);
        tracker.reported(&message(&[7]), at(0));
        tracker.reported(&message(&[5, 6, 8]), at(10));
        assert_eq!((tracker.settled(), tracker.gap_since), (Some(8), None));
    }

    #[test]
    fn everything_covers_all_numbers_up_to_its_own() {
        let mut tracker = at_number(4);
        tracker.reported(&message(&[6, 12]), at(0));
        tracker.reported(&everything(&[10]), at(10));
        assert_eq!(tracker.settled(), Some(10));
        tracker.reported(&message(&[11]), at(10));
        assert_eq!((tracker.settled(), tracker.gap_since), (Some(12), None));
    }

    #[test]
    fn an_operators_order_changes_nothing() {
        let mut tracker = at_number(4);
        tracker.reported(&everything(&[]), at(0));
        tracker.reported(&message(&[]), at(0));
        assert_eq!(tracker.settled(), Some(4));
    }

    #[test]
    fn an_answer_kept_by_another_is_outdated() {
        let mut tracker = at_number(4);
        let before = tracker.settled();
        tracker.reported(&message(&[5]), at(0));
        // The exchange began before the change was reported: it may show the number before.
        assert!(!tracker.shown(4, before, at(1)));
        assert!(tracker.shown(4, tracker.settled(), at(1)));
        assert_eq!(tracker.settled(), Some(5));
    }

    #[test]
    fn a_count_that_began_anew_is_taken_from_the_sites_own_answer() {
        let mut tracker = at_number(400);
        tracker.reported(&message(&[402]), at(0));
        let before = tracker.settled();
        assert!(tracker.responded(3, before, at(1)));
        assert_eq!((tracker.settled(), tracker.gap_since), (Some(3), None));
        tracker.reported(&message(&[4]), at(2));
        assert!(!tracker.responded(4, Some(4), at(3)));
    }

    #[test]
    fn the_first_number_is_taken_as_it_comes() {
        let mut tracker = ChangeTracker::default();
        tracker.reported(&message(&[70]), at(0));
        assert_eq!((tracker.settled(), tracker.gap_since), (Some(70), None));
    }

    #[test]
    fn memory_is_bounded() {
        let mut tracker = at_number(0);
        for number in 2..3000 {
            tracker.reported(&message(&[number]), at(0));
            let _ = tracker.missed(GRACE, at(0));
            assert!(tracker.ahead.len() <= ChangeTracker::MOST_AHEAD + 1);
        }
        tracker.reported(&message(&[u64::MAX]), at(0));
        assert!(tracker.missed(GRACE, at(5000)));
        assert_eq!(tracker.settled(), Some(u64::MAX));
    }

    proptest! {
        /// Whatever is lost and however messages overtake each other: once the site's number was shown and the grace is
        /// over, every change was reported or everything was invalidated.
        #[test]
        fn no_change_is_overlooked(
            fates in proptest::collection::vec((any::<bool>(), 0u64..400), 1..40),
            shown_at in 0u64..1000,
        ) {
            let mut tracker = at_number(0);
            let last = fates.len() as u64;
            let mut events: Vec<(u64, u64)> = fates
                .iter()
                .zip(1..)
                .filter(|((is_lost, _), _)| !is_lost)
                .map(|((_, time), number)| (*time, number))
                .collect();
            events.sort_unstable();
            let mut told = BTreeSet::new();
            let mut removed_up_to = 0;
            for (time, number) in events {
                tracker.reported(&message(&[number]), at(time));
                told.insert(number);
                if tracker.missed(GRACE, at(time)) { removed_up_to = tracker.settled().unwrap(); }
            }
            let _ = tracker.shown(last, tracker.settled(), at(400 + shown_at));
            if tracker.missed(GRACE, at(400 + shown_at + 1000)) { removed_up_to = tracker.settled().unwrap(); }
            for number in 1..=last {
                prop_assert!(told.contains(&number) || number <= removed_up_to, "{number}");
            }
            prop_assert_eq!(tracker.settled(), Some(last));
        }
    }
}
