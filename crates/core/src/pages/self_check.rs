//! Which of the edge's own responses are asked of the site afterwards, and when the edge gives no more of them.

use std::collections::BTreeMap;
use std::time::Instant;

use crate::limits::QuestionSpacing;

/// What is known of the edge's own responses for calendar pages.
#[derive(Debug, Default)]
pub struct SelfCheck {
    given: u64,
    kinds: BTreeMap<(&'static str, bool), KindCount>,
    agreed: u64,
    /// A target at which the site showed an event.
    example: Option<String>,
    questions: QuestionSpacing,
}

/// The responses for pages of one kind.
#[derive(Debug, Default)]
struct KindCount {
    given: u64,
    asked: u64,
}

/// The figures of the check.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct SelfCheckFigures {
    /// The edge's own responses, or in report mode those that it would have given.
    pub given: u64,
    /// Those for which the site was asked and showed no event.
    pub agreed: u64,
    /// The target at which the site showed one. The edge gives no more responses of its own.
    pub example: Option<String>,
}

// === impl SelfCheck ===

impl SelfCheck {
    /// The first responses for each kind of page are asked of the site, because a wrong rule is wrong at once.
    const FIRST: u64 = 10;

    /// Then one of so many.
    const EVERY: u64 = 200;

    /// The same for pages at the ends of the calendar, which are few: wrong bounds are wrong there first.
    const EVERY_AT_END: u64 = 10;

    /// Counts a response for a kind of page. True if the site is to be asked for the same page, until [`Self::ended`].
    pub fn gives(&mut self, kind: &'static str, is_at_end: bool, now: Instant) -> bool {
        let is_free = self.questions.is_free(now);
        self.given += 1;
        let count = self.kinds.entry((kind, is_at_end)).or_default();
        count.given += 1;
        let every = if is_at_end {
            Self::EVERY_AT_END
        } else {
            Self::EVERY
        };
        let is_due = is_free && (count.asked < Self::FIRST || count.given.is_multiple_of(every));
        if is_due {
            count.asked += 1;
            self.questions.begins(now);
        }
        is_due
    }

    /// The question to the site ended, whatever it told.
    pub fn ended(&mut self, now: Instant) {
        self.questions.ended(now);
    }

    /// The site shows no event there.
    pub fn agrees(&mut self) {
        self.agreed += 1;
    }

    /// The site shows an event there. True if this is the first one.
    pub fn fails(&mut self, target: &str) -> bool {
        let is_first = self.example.is_none();
        self.example.get_or_insert_with(|| target.to_owned());
        is_first
    }

    /// Whether the edge gives no responses of its own any more.
    pub const fn is_failed(&self) -> bool {
        self.example.is_some()
    }

    /// What it found so far.
    pub fn figures(&self) -> SelfCheckFigures {
        SelfCheckFigures {
            given: self.given,
            agreed: self.agreed,
            example: self.example.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// The numbers of the responses after which the site is asked, which answers at once.
    fn asked(check: &mut SelfCheck, responses: u64, kind: &'static str, is_at_end: bool) -> Vec<u64> {
        let now = Instant::now();
        let is_asked = |_: &u64| {
            let is_asked = check.gives(kind, is_at_end, now);
            check.ended(now);
            is_asked
        };
        (1..=responses).filter(is_asked).collect()
    }

    #[test]
    fn the_first_of_a_kind_and_some_of_the_rest_are_asked() {
        let mut check = SelfCheck::default();
        let months = asked(&mut check, 1000, "month", false);
        assert_eq!(months[..10], (1..=10).collect::<Vec<_>>());
        assert_eq!(months[10..], [200, 400, 600, 800, 1000]);
        assert_eq!(
            asked(&mut check, 1, "day", false),
            [1],
            "another kind begins anew"
        );
        assert_eq!(asked(&mut check, 40, "month", true)[10..], [20, 30, 40]);
    }

    #[test]
    fn the_site_is_asked_once_at_a_time_and_rests_in_between() {
        let mut check = SelfCheck::default();
        let begun = Instant::now();
        let at = |millis| begun + Duration::from_millis(millis);
        assert!(check.gives("month", false, at(0)));
        assert!(!check.gives("month", false, at(90)), "the site is asked");
        check.ended(at(100));
        assert!(
            !check.gives("month", false, at(499)),
            "it took a tenth of a second"
        );
        assert!(check.gives("month", false, at(500)));
    }

    #[test]
    fn the_first_example_is_kept() {
        let mut check = SelfCheck::default();
        check.agrees();
        assert!(!check.is_failed());
        assert!(check.fails("/events/2040-01-01/"));
        assert!(!check.fails("/events/2041-01-01/"));
        assert!(check.is_failed());
        let figures = check.figures();
        assert_eq!(
            (figures.agreed, figures.example.as_deref()),
            (1, Some("/events/2040-01-01/"))
        );
    }
}
