//! The state of the companion plugin at one REST root.

use std::time::Duration;

use super::{ChangeTracker, UnfinishedChange};
use crate::companion::mark::ShownChanges;
use crate::unix_time::UnixTime;

/// The signs of one site's companion plugin.
#[derive(Debug, Default)]
pub struct SiteCompanion {
    /// The changes that the site counted.
    pub tracker: ChangeTracker,
    /// The change that the site has begun and not finished.
    pub unfinished: UnfinishedChange,
    /// The address of the site's home page, once the site has reported it.
    pub site: Option<String>,
    /// The time of its last sign.
    pub last: Option<UnixTime>,
    asked: Option<UnixTime>,
    /// The time at which the last write through this edge ended.
    written: Option<UnixTime>,
    doubt: Doubt,
}

/// The pause between two requests after a write, whose message may still be on its way.
const PAUSE_AFTER_WRITE: Duration = Duration::from_millis(200);

/// The beginning of an exchange.
#[derive(Debug, Clone, Copy)]
pub struct ExchangeStart {
    /// The time at which it began.
    pub at: UnixTime,
    /// The edge received every change up to this number.
    pub settled: Option<u64>,
}

/// The doubt about the companion since its last sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Doubt {
    #[default]
    None,
    /// The edge sent a request, and got no response.
    Failed,
    /// The site responded without a sign: changes are no longer counted.
    Gone,
}

/// A sign of the companion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompanionSign {
    /// True if the response that carries it must not be kept.
    pub is_outdated: bool,
    /// True if no change since the sign before can have gone unnoticed.
    pub is_unbroken: bool,
}

// === impl SiteCompanion ===

impl SiteCompanion {
    /// The state after a restart, up to this change.
    pub fn resumed(settled: Option<u64>) -> Self {
        Self {
            tracker: settled.map_or_else(ChangeTracker::default, ChangeTracker::resumed),
            ..Self::default()
        }
    }

    /// True if the site has responded without a sign, so that changes may not be counted.
    pub fn is_gone(&self) -> bool {
        self.doubt == Doubt::Gone
    }

    /// The site shows its changes in a response to an exchange.
    pub fn shown(
        &mut self,
        changes: ShownChanges,
        asked: ExchangeStart,
        reconcile: Duration,
        now: UnixTime,
    ) -> CompanionSign {
        let is_outdated = self.tracker.shown(changes.number, asked.settled, now);
        let is_unbroken = self.is_unbroken(reconcile, now);
        let last = self.last.unwrap_or_default();
        // A response that was overtaken by a later one shows nothing new.
        if asked.at >= last {
            self.unfinished.shown(changes.begun, now);
        }
        self.last = Some(asked.at.max(last));
        self.doubt = Doubt::None;
        CompanionSign {
            is_outdated,
            is_unbroken,
        }
    }

    fn is_unbroken(&self, reconcile: Duration, now: UnixTime) -> bool {
        let Some(last) = self.last else { return false };
        match self.doubt {
            // No request was sent, so nothing was silent: the count shows the changes.
            Doubt::None => true,
            Doubt::Failed => now.saturating_since(last) <= reconcile,
            Doubt::Gone => false,
        }
    }

    /// The site responded without a sign.
    pub fn gone(&mut self) {
        self.doubt = Doubt::Gone;
    }

    /// The site did not respond to the edge's request.
    pub fn failed(&mut self) {
        if self.doubt == Doubt::None {
            self.doubt = Doubt::Failed;
        }
    }

    /// True if the companion has responded, and nothing shows that it is gone.
    pub fn is_present(&self) -> bool {
        self.last.is_some() && !self.is_gone()
    }

    /// True if the site showed its number within `reconcile`, and the edge has every message up to it.
    pub fn is_current(&self, reconcile: Duration, now: UnixTime) -> bool {
        self.is_present() && !self.is_older_than(reconcile, now) && !self.tracker.has_gap()
    }

    /// A write by a client with credentials went through this edge, and ended now. PHP may report it after it has
    /// responded.
    pub fn wrote(&mut self, now: UnixTime) {
        self.written = Some(now);
    }

    /// True if the site has shown its number since the last write through this edge, however that ended: a site that
    /// does not respond in time may store it all the same.
    pub fn has_shown_writes(&self) -> bool {
        self.written < self.last
    }

    /// True if the next number may make the edge's state current: the site responds, and has shown none for
    /// `reconcile`, or since a write.
    pub fn awaits_number(&self, reconcile: Duration, now: UnixTime) -> bool {
        let responds = self.last.is_some() && self.doubt == Doubt::None;
        responds && (self.is_older_than(reconcile, now) || !self.has_shown_writes())
    }

    /// True if a request is due: the companion has responded, but has neither shown its number nor been sent a request
    /// for half of `reconcile`, or half of that while it has a change to finish, or not since a write.
    pub fn is_due(&mut self, reconcile: Duration, now: UnixTime) -> bool {
        let pause = match self.has_shown_writes() {
            false => PAUSE_AFTER_WRITE.min(reconcile / 4),
            true if self.unfinished.is_known() => reconcile / 4,
            true => reconcile / 2,
        };
        let is_recent = |time: Option<UnixTime>| time.is_some_and(|time| now.saturating_since(time) < pause);
        let is_shown = self.has_shown_writes() && is_recent(self.last);
        let is_due = self.is_present() && !is_shown && !is_recent(self.asked);
        if is_due {
            self.asked = Some(now);
        }
        is_due
    }

    /// True if the last sign is at least so old.
    pub fn is_older_than(&self, age: Duration, now: UnixTime) -> bool {
        self.last.is_some_and(|last| now.saturating_since(last) >= age)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECONCILE: Duration = Duration::from_secs(10);

    fn at(seconds: u64) -> UnixTime {
        UnixTime::from_secs(seconds)
    }

    fn shown(state: &mut SiteCompanion, now: u64) -> bool {
        let asked = ExchangeStart {
            at: at(now),
            settled: None,
        };
        state.shown(changes(None), asked, RECONCILE, at(now)).is_unbroken
    }

    fn changes(begun: Option<u64>) -> ShownChanges {
        ShownChanges {
            number: 7,
            begun: begun.map(Duration::from_secs),
        }
    }

    #[test]
    fn the_row_of_signs_begins_with_the_first() {
        let mut state = SiteCompanion::default();
        assert!(!state.is_present());
        assert!(!shown(&mut state, 1));
        assert!(shown(&mut state, 2));
        assert!(state.is_present());
    }

    #[test]
    fn the_edge_is_current_after_a_sign_that_leaves_no_gap() {
        let mut state = SiteCompanion::resumed(Some(7));
        let is_current = |state: &SiteCompanion, now| state.is_current(RECONCILE, at(now));
        assert!(!is_current(&state, 1), "no request was sent");
        shown(&mut state, 1);
        assert!(is_current(&state, 10) && !is_current(&state, 11));
        state.gone();
        assert!(!is_current(&state, 2));
        let mut behind = SiteCompanion::resumed(Some(6));
        shown(&mut behind, 1);
        assert!(!is_current(&behind, 1), "a message is late or lost");
        assert!(behind.tracker.missed(Duration::from_secs(1), at(2)));
        assert!(is_current(&behind, 2));
    }

    #[test]
    fn an_idle_edge_breaks_no_row() {
        let mut state = SiteCompanion::default();
        shown(&mut state, 1);
        assert!(shown(&mut state, 5000));
    }

    #[test]
    fn silence_that_was_asked_breaks_the_row_when_it_lasts() {
        let mut state = SiteCompanion::default();
        shown(&mut state, 1);
        state.failed();
        assert!(shown(&mut state, 11));
        state.failed();
        assert!(state.is_present());
        assert!(!shown(&mut state, 22));
        assert!(shown(&mut state, 23));
    }

    #[test]
    fn one_question_is_asked_at_a_time() {
        let mut state = SiteCompanion::default();
        assert!(!state.is_due(RECONCILE, at(100)));
        shown(&mut state, 100);
        assert!(!state.is_due(RECONCILE, at(104)));
        assert!(state.is_due(RECONCILE, at(105)));
        assert!(!state.is_due(RECONCILE, at(109)));
        assert!(state.is_due(RECONCILE, at(110)));
        state.gone();
        assert!(!state.is_due(RECONCILE, at(200)));
    }

    #[test]
    fn an_unfinished_change_is_asked_about_sooner() {
        let mut state = SiteCompanion::default();
        let asked = ExchangeStart {
            at: at(100),
            settled: None,
        };
        state.shown(changes(Some(0)), asked, RECONCILE, at(100));
        assert!(!state.is_due(RECONCILE, at(102)));
        assert!(state.is_due(RECONCILE, at(103)));
        // An older response that comes late does not finish it.
        shown(&mut state, 99);
        assert!(state.unfinished.is_known());
        shown(&mut state, 104);
        assert!(!state.unfinished.is_known());
    }

    #[test]
    fn after_a_write_the_number_is_asked_for_at_once() {
        let mut state = SiteCompanion::default();
        shown(&mut state, 100);
        assert!(state.has_shown_writes());
        state.wrote(at(101));
        assert!(!state.has_shown_writes());
        assert!(state.is_due(RECONCILE, at(101)));
        assert!(!state.is_due(RECONCILE, at(101)), "a request is under way");
        assert!(state.is_due(RECONCILE, at(102)), "there was no response");
        shown(&mut state, 101);
        assert!(
            !state.has_shown_writes(),
            "the exchange may have begun before the write ended"
        );
        shown(&mut state, 102);
        assert!(state.has_shown_writes());
    }

    #[test]
    fn an_answer_without_a_sign_breaks_the_row_at_once() {
        let mut state = SiteCompanion::default();
        shown(&mut state, 1);
        state.gone();
        state.failed();
        assert!(!state.is_present());
        assert!(!shown(&mut state, 2));
        assert!(state.is_present());
    }
}
