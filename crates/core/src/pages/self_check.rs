//! The choice of the edge's own responses that it compares with the site's afterwards, and the reasons to stop them.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::calendar_page::CalendarPage;
use crate::limits::CheckSpacing;

/// The state of the edge's own responses for calendar pages.
#[derive(Debug, Default)]
pub struct SelfCheck {
    /// The edge's own responses, or in report mode those that it would have given.
    pub given: u64,
    kinds: BTreeMap<(&'static str, bool), KindCount>,
    /// Those for which the site got a request and showed no event.
    pub agreed: u64,
    /// The reason for which the edge gives no responses of its own.
    stop: Option<Stop>,
    /// The site has shown an event once, and gets a second request.
    is_doubted: bool,
    questions: CheckSpacing,
}

/// The responses for pages of one kind.
#[derive(Debug, Default)]
struct KindCount {
    given: u64,
    asked: u64,
    /// The number of the response after which the site gets a request.
    due: u64,
}

/// A page on which the site showed an event.
#[derive(Debug)]
struct Stop {
    page: CalendarPage,
    address: String,
    /// The time of the last request for it.
    asked: Instant,
    /// Since when checks of it agree, and how many.
    agreeing: Option<(Instant, u32)>,
}

/// The step after the site's response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckStep {
    /// The same request again, before an event is believed.
    Repeat,
    /// Nothing.
    Done,
    /// The edge gives no more responses of its own.
    Stop,
    /// The edge gives responses of its own again.
    Resume,
}

// === impl SelfCheck ===

impl SelfCheck {
    /// The first responses for each kind of page are compared with the site's, because a wrong rule is wrong at once.
    const FIRST: u64 = 10;

    /// Then one of so many.
    const EVERY: u64 = 200;

    /// The same for pages at the ends of the calendar, which are few: wrong bounds are wrong there first.
    const EVERY_AT_END: u64 = 10;

    /// After a stop its page alone is requested, at most once in this time.
    const PAUSE: Duration = Duration::from_mins(1);

    /// The stop ends once the checks agree for this time, and so many of them do.
    const AGREEING_FOR: Duration = Duration::from_hours(1);
    const AGREEING: u32 = 10;

    /// Counts a response for a page. The result is the page to request from the site, until [`Self::shown`] ends it.
    pub fn gives(&mut self, page: &CalendarPage, is_at_end: bool, now: Instant) -> Option<CalendarPage> {
        let is_free = self.questions.is_free(now);
        let asked = match &mut self.stop {
            Some(stop) => stop.is_due(is_free, now).then(|| stop.page.clone()),
            None => self.is_due(page, is_at_end, is_free).then(|| page.clone()),
        };
        if asked.is_some() {
            self.questions.begins(now);
        }
        asked
    }

    fn is_due(&mut self, page: &CalendarPage, is_at_end: bool, is_free: bool) -> bool {
        self.given += 1;
        let count = self.kinds.entry((page.kind(), is_at_end)).or_default();
        count.given += 1;
        let every = if is_at_end {
            Self::EVERY_AT_END
        } else {
            Self::EVERY
        };
        let is_due = is_free && count.given >= count.due;
        if is_due {
            count.asked += 1;
            if count.asked >= Self::FIRST {
                count.due = (count.given / every + 1) * every;
            }
        }
        is_due
    }

    /// The site got a request for a page at an address. `agrees` is true if the site shows the events of the facts;
    /// none if it is not known.
    pub fn shown(
        &mut self,
        page: &CalendarPage,
        address: &str,
        agrees: Option<bool>,
        now: Instant,
    ) -> CheckStep {
        let was_doubted = std::mem::replace(&mut self.is_doubted, agrees == Some(false));
        if self.is_doubted && !was_doubted {
            return CheckStep::Repeat;
        }
        self.is_doubted = false;
        self.questions.ended(now);
        match agrees {
            Some(true) => self.agrees(now),
            Some(false) => self.fails(page, address, now),
            None => CheckStep::Done,
        }
    }

    fn agrees(&mut self, now: Instant) -> CheckStep {
        self.agreed += 1;
        let has_ended = self.stop.as_mut().is_some_and(|stop| stop.agrees(now));
        if !has_ended {
            return CheckStep::Done;
        }
        self.stop = None;
        self.kinds.clear();
        CheckStep::Resume
    }

    fn fails(&mut self, page: &CalendarPage, address: &str, now: Instant) -> CheckStep {
        if let Some(stop) = &mut self.stop {
            stop.agreeing = None;
            return CheckStep::Done;
        }
        self.stop = Some(Stop {
            page: page.clone(),
            address: address.to_owned(),
            asked: now,
            agreeing: None,
        });
        CheckStep::Stop
    }

    /// True if the edge gives no responses of its own.
    pub const fn is_stopped(&self) -> bool {
        self.stop.is_some()
    }

    /// The target at which the site showed an event. The edge gives no responses of its own until an hour of checks
    /// agrees.
    pub fn example(&self) -> Option<String> {
        self.stop.as_ref().map(|stop| stop.address.clone())
    }
}

// === impl Stop ===

impl Stop {
    /// True if the site is to get a request for its page now.
    fn is_due(&mut self, is_free: bool, now: Instant) -> bool {
        let is_due = is_free && now.saturating_duration_since(self.asked) >= SelfCheck::PAUSE;
        if is_due {
            self.asked = now;
        }
        is_due
    }

    /// A check agrees. True if they have agreed for long enough.
    fn agrees(&mut self, now: Instant) -> bool {
        let (since, times) = self.agreeing.get_or_insert((now, 0));
        *times += 1;
        *times >= SelfCheck::AGREEING && now.saturating_duration_since(*since) >= SelfCheck::AGREEING_FOR
    }
}

#[cfg(test)]
mod tests {
    use super::super::calendar_page::{PageFilters, PageView};
    use super::*;

    const EVENT: Option<bool> = Some(false);
    const NONE: Option<bool> = Some(true);

    fn page(view: PageView) -> CalendarPage {
        CalendarPage {
            view,
            date: None,
            filters: PageFilters::default(),
            number: 1,
            is_ical: false,
        }
    }

    fn month() -> CalendarPage {
        page(PageView::Month)
    }

    /// The numbers of the responses after which the site gets a request, to which it responds at once.
    fn asked(check: &mut SelfCheck, responses: u64, view: PageView, is_at_end: bool) -> Vec<u64> {
        let (now, page) = (Instant::now(), page(view));
        let is_asked = |_: &u64| {
            let asked = check.gives(&page, is_at_end, now);
            check.shown(&page, "/", NONE, now);
            asked.is_some()
        };
        (1..=responses).filter(is_asked).collect()
    }

    #[test]
    fn the_first_of_a_kind_and_some_of_the_rest_are_asked() {
        let mut check = SelfCheck::default();
        let months = asked(&mut check, 1000, PageView::Month, false);
        assert_eq!(months[..10], (1..=10).collect::<Vec<_>>());
        assert_eq!(months[10..], [200, 400, 600, 800, 1000]);
        let days = asked(&mut check, 1, PageView::Day, false);
        assert_eq!(days, [1], "another kind begins anew");
        assert_eq!(asked(&mut check, 40, PageView::Month, true)[10..], [20, 30, 40]);
    }

    #[test]
    fn the_site_is_asked_once_at_a_time_and_rests_in_between() {
        let mut check = SelfCheck::default();
        let begun = Instant::now();
        let at = |millis| begun + Duration::from_millis(millis);
        assert_eq!(check.gives(&month(), false, at(0)), Some(month()));
        assert_eq!(check.gives(&month(), false, at(90)), None, "a check is under way");
        assert_eq!(check.shown(&month(), "/", NONE, at(100)), CheckStep::Done);
        let rests = check.gives(&month(), false, at(499));
        assert_eq!(rests, None, "it took a tenth of a second");
        assert!(check.gives(&month(), false, at(500)).is_some());
    }

    #[test]
    fn t110_a_flood_while_the_site_is_asked_puts_no_check_off() {
        let mut check = SelfCheck::default();
        asked(&mut check, 10, PageView::Month, false);
        let now = Instant::now();
        check.gives(&page(PageView::Day), false, now);
        for _ in 0..1000 {
            assert_eq!(check.gives(&month(), false, now), None);
        }
        check.shown(&page(PageView::Day), "/", NONE, now);
        assert!(check.gives(&month(), false, now).is_some());
    }

    #[test]
    fn t110_an_event_is_believed_at_the_second_look() {
        let mut check = SelfCheck::default();
        let now = Instant::now();
        check.gives(&month(), false, now);
        assert_eq!(check.shown(&month(), "/a", EVENT, now), CheckStep::Repeat);
        assert_eq!(
            check.gives(&month(), false, now),
            None,
            "a check is still under way"
        );
        assert_eq!(check.shown(&month(), "/a", NONE, now), CheckStep::Done);
        assert_eq!(check.shown(&month(), "/a", EVENT, now), CheckStep::Repeat);
        assert_eq!(check.shown(&month(), "/a", None, now), CheckStep::Done);
        assert!(!check.is_stopped());
        assert_eq!(check.shown(&month(), "/a", EVENT, now), CheckStep::Repeat);
        assert_eq!(check.shown(&month(), "/a", EVENT, now), CheckStep::Stop);
        assert!(check.is_stopped());
        assert_eq!((check.agreed, check.example().as_deref()), (1, Some("/a")));
    }

    /// Checks of a stopped edge, once in so many minutes until the given one. True if it gives responses again.
    fn resumes(
        check: &mut SelfCheck,
        minutes: std::ops::RangeInclusive<u64>,
        every: usize,
        begun: Instant,
    ) -> bool {
        let mut is_resumed = false;
        for minute in minutes.step_by(every) {
            let now = begun + Duration::from_mins(minute);
            let asked = check.gives(&page(PageView::Day), false, now);
            assert_eq!(
                asked,
                Some(month()),
                "the page of the stop alone, at minute {minute}"
            );
            assert_eq!(check.gives(&month(), false, now), None);
            is_resumed |= check.shown(&month(), "/a", NONE, now) == CheckStep::Resume;
        }
        is_resumed
    }

    #[test]
    fn t110_a_stop_ends_after_an_hour_of_agreeing_checks() {
        let begun = Instant::now();
        let mut check = SelfCheck::default();
        let stop = |check: &mut SelfCheck, now: Instant| {
            check.shown(&month(), "/a", EVENT, now);
            check.shown(&month(), "/a", EVENT, now)
        };
        assert_eq!(stop(&mut check, begun), CheckStep::Stop);
        assert!(!resumes(&mut check, 1..=60, 1, begun));
        assert_eq!(stop(&mut check, begun + Duration::from_hours(1)), CheckStep::Done);
        assert!(!resumes(&mut check, 61..=120, 1, begun), "the hour began anew");
        assert!(resumes(&mut check, 121..=121, 1, begun));
        assert!(!check.is_stopped() && check.example().is_none());
        let later = begun + Duration::from_mins(122);
        assert!(check.gives(&month(), false, later).is_some());
        assert_eq!(check.shown(&month(), "/a", NONE, later), CheckStep::Done);

        let begun = begun + Duration::from_hours(3);
        assert_eq!(stop(&mut check, begun), CheckStep::Stop);
        assert!(!resumes(&mut check, 40..=80, 40, begun), "two checks are too few");
    }
}
