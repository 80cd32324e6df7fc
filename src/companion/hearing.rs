//! What is heard of the companion plugin at one REST root.

use std::time::Duration;

use super::companions::ExchangeStart;
use calendar_edge_core::companion::purge::{AnswerAge, ChangeLedger};

/// The signs of one site's companion plugin; times are since 1970.
#[derive(Debug, Default)]
pub(super) struct Hearing {
    /// The changes that the site counted.
    pub(super) ledger: ChangeLedger,
    last: Option<Duration>,
    asked: Option<Duration>,
    doubt: Doubt,
}

/// What stands against the companion since its last sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Doubt {
    #[default]
    None,
    /// The edge asked, and got no answer.
    Unanswered,
    /// The site answered without a sign: changes are no longer counted.
    Gone,
}

/// A sign of the companion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sign {
    /// Whether the answer that carries it may be kept.
    pub(super) age: AnswerAge,
    /// True if no change since the sign before can have gone unnoticed.
    pub(super) is_unbroken: bool,
}

// === impl Hearing ===

impl Hearing {
    /// The site shows a number in an answer to an exchange.
    pub(super) fn shown(
        &mut self,
        number: u64,
        asked: ExchangeStart,
        reconcile: Duration,
        now: Duration,
    ) -> Sign {
        let age = self.ledger.shown(number, asked.settled, now);
        let is_unbroken = self.is_unbroken(reconcile, now);
        self.last = Some(asked.at.max(self.last.unwrap_or_default()));
        self.doubt = Doubt::None;
        Sign { age, is_unbroken }
    }

    fn is_unbroken(&self, reconcile: Duration, now: Duration) -> bool {
        let Some(last) = self.last else { return false };
        match self.doubt {
            // Nobody asked, so nothing was silent: the count says what has changed.
            Doubt::None => true,
            Doubt::Unanswered => now.saturating_sub(last) <= reconcile,
            Doubt::Gone => false,
        }
    }

    /// The site answered without a sign.
    pub(super) fn gone(&mut self) {
        self.doubt = Doubt::Gone;
    }

    /// The site did not answer the edge's question.
    pub(super) fn unanswered(&mut self) {
        if self.doubt == Doubt::None {
            self.doubt = Doubt::Unanswered;
        }
    }

    /// Whether the companion was heard, and is as far as the edge knows.
    pub(super) fn is_heard(&self) -> bool {
        self.last.is_some() && self.doubt != Doubt::Gone
    }

    /// Whether it is time to ask: the companion was heard, but neither heard nor asked since `pause`.
    pub(super) fn is_due(&mut self, pause: Duration, now: Duration) -> bool {
        let is_recent = |time: Option<Duration>| time.is_some_and(|time| now.saturating_sub(time) < pause);
        let is_due = self.is_heard() && !is_recent(self.last) && !is_recent(self.asked);
        if is_due {
            self.asked = Some(now);
        }
        is_due
    }

    /// Whether the last sign is at least so old.
    pub(super) fn is_older_than(&self, age: Duration, now: Duration) -> bool {
        self.last.is_some_and(|last| now.saturating_sub(last) >= age)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECONCILE: Duration = Duration::from_secs(10);

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn shown(hearing: &mut Hearing, now: u64) -> bool {
        let asked = ExchangeStart {
            at: at(now),
            settled: None,
        };
        hearing.shown(7, asked, RECONCILE, at(now)).is_unbroken
    }

    #[test]
    fn the_row_of_signs_begins_with_the_first() {
        let mut hearing = Hearing::default();
        assert!(!hearing.is_heard());
        assert!(!shown(&mut hearing, 1));
        assert!(shown(&mut hearing, 2));
        assert!(hearing.is_heard());
    }

    #[test]
    fn an_idle_edge_breaks_no_row() {
        let mut hearing = Hearing::default();
        shown(&mut hearing, 1);
        assert!(shown(&mut hearing, 5000));
    }

    #[test]
    fn silence_that_was_asked_breaks_the_row_when_it_lasts() {
        let mut hearing = Hearing::default();
        shown(&mut hearing, 1);
        hearing.unanswered();
        assert!(shown(&mut hearing, 11));
        hearing.unanswered();
        assert!(hearing.is_heard());
        assert!(!shown(&mut hearing, 22));
        assert!(shown(&mut hearing, 23));
    }

    #[test]
    fn one_question_is_asked_at_a_time() {
        let mut hearing = Hearing::default();
        assert!(!hearing.is_due(at(5), at(100)));
        shown(&mut hearing, 100);
        assert!(!hearing.is_due(at(5), at(104)));
        assert!(hearing.is_due(at(5), at(105)));
        assert!(!hearing.is_due(at(5), at(109)));
        assert!(hearing.is_due(at(5), at(110)));
        hearing.gone();
        assert!(!hearing.is_due(at(5), at(200)));
    }

    #[test]
    fn an_answer_without_a_sign_breaks_the_row_at_once() {
        let mut hearing = Hearing::default();
        shown(&mut hearing, 1);
        hearing.gone();
        hearing.unanswered();
        assert!(!hearing.is_heard());
        assert!(!shown(&mut hearing, 2));
        assert!(hearing.is_heard());
    }
}
