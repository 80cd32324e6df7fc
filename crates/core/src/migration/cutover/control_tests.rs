//! Rules and their guards under a simulated clock.

use std::time::Duration;

use proptest::prelude::*;

use super::control::*;
use super::place::ClientId;
use super::rule_event::RuleEvent;
use super::rule_record::RuleRecord;
use crate::settings::{CutoverRule, GuardSettings, Percentage};
use crate::unix_time::UnixTime;

pub(super) const START: UnixTime = UnixTime::from_secs(500_000 * 3600);

pub(super) fn percentage(text: &str) -> Percentage {
    Percentage::parse(text).unwrap()
}

pub(super) fn guarded(change: impl FnOnce(&mut GuardSettings)) -> CutoverRule {
    let mut guard = GuardSettings {
        window: Duration::from_secs(100),
        calls: 20,
        failures: Some(percentage("10%")),
        different: Some(percentage("10%")),
    };
    change(&mut guard);
    CutoverRule {
        guard: Some(guard),
        ..CutoverRule::default()
    }
}

pub(super) fn control(rule: CutoverRule) -> RuleControl {
    RuleControl::new(rule, RuleRecord::default())
}

/// One of many clients.
pub(super) fn client(number: u64) -> ClientId {
    ClientId(number)
}

/// Gives the same event of so many clients, a second apart from each other; the first change.
fn repeat(control: &mut RuleControl, event: RuleEvent, times: u64, from: UnixTime) -> Option<(u64, String)> {
    (0..times).find_map(|n| {
        let now = from.saturating_add(Duration::from_secs(n));
        Some((n, control.observe(event, client(n), now)?))
    })
}

#[test]
fn failures_in_a_row_return_the_calls_at_once() {
    let mut control = control(guarded(|_| ()));
    assert_eq!(control.share(), Percentage::ALL);
    let (at, given) = repeat(&mut control, RuleEvent::Failed, 100, START).unwrap();
    // Without the one of any client there are four in a row, of which chance makes one in 10,000.
    let reason = "5 calls in a row failed".to_owned();
    assert_eq!((at, given), (4, reason));
    assert_eq!(control.share(), Percentage::NONE);
    let returned = control.standing.returned.clone().unwrap();
    assert_eq!(returned.reason, "5 calls in a row failed");
    assert_eq!(returned.at, START.as_secs() + 4);
}

#[test]
fn one_of_several_clients_returns_no_calls_and_two_do() {
    for event in [RuleEvent::Failed, RuleEvent::Different] {
        let mut alone = control(guarded(|_| ()));
        let mut both = alone.clone();
        let quick = [RuleEvent::Responded, RuleEvent::Same];
        for other in quick {
            let before = START.saturating_add(Duration::from_secs(29));
            assert_eq!(alone.observe(other, client(1), before), None);
        }
        for n in 0..200 {
            let now = START.saturating_add(Duration::from_millis(30_000 + n * 100));
            assert_eq!(alone.observe(event, client(7), now), None, "{event:?}");
        }
        for n in 0..5 {
            for other in quick {
                assert_eq!(
                    alone.observe(other, client(n), START.saturating_add(Duration::from_mins(1))),
                    None
                );
            }
        }
        let returned = (0..200).any(|n| {
            let now = START.saturating_add(Duration::from_millis(30_000 + n * 100));
            both.observe(event, client(n % 3), now).is_some()
        });
        assert!(returned, "{event:?}");
    }
}

#[test]
fn t94_the_only_client_returns_the_calls_once_all_fail_for_seconds() {
    let mut control = control(guarded(|_| ()));
    let at = |n: u64| START.saturating_add(Duration::from_millis(100 * n));
    for n in 0..10 {
        assert_eq!(control.observe(RuleEvent::Responded, client(7), at(n)), None);
    }
    let returned = (10..200).find_map(|n| Some((n, control.observe(RuleEvent::Failed, client(7), at(n))?)));
    let reason = "51 calls in a row failed".to_owned();
    assert_eq!(returned, Some((60, reason)));
}

#[test]
fn t94_the_only_client_returns_wrong_values_after_seconds() {
    for (others, expected) in [(0, Some(60)), (1, None)] {
        let mut control = control(guarded(|_| ()));
        let at = |n: u64| START.saturating_add(Duration::from_millis(100 * n));
        for other in 0..others {
            let answered = RuleEvent::Responded;
            assert_eq!(control.observe(answered, client(other), at(0)), None);
        }
        // Reads of other records are equal meanwhile.
        let returned = (10..200).find(|n| {
            let event = if n % 2 == 0 {
                RuleEvent::Different
            } else {
                RuleEvent::Same
            };
            control.observe(event, client(7), at(*n)).is_some()
        });
        assert_eq!(returned, expected);
    }
}

#[test]
fn t94_a_call_that_succeeds_begins_the_seconds_anew() {
    let mut control = control(guarded(|_| ()));
    for n in 0..200 {
        let event = if n % 40 == 0 {
            RuleEvent::Responded
        } else {
            RuleEvent::Failed
        };
        let now = START.saturating_add(Duration::from_millis(100 * n));
        assert_eq!(control.observe(event, client(7), now), None);
    }
}

#[test]
fn failures_that_are_spread_are_forgotten() {
    let mut control = control(guarded(|_| ()));
    // One of ten calls fails, which is the most that may.
    for round in 0..50 {
        let at = START.saturating_add(Duration::from_secs(10 * round));
        assert_eq!(repeat(&mut control, RuleEvent::Responded, 9, at), None);
        assert_eq!(
            control.observe(
                RuleEvent::Failed,
                client(round),
                at.saturating_add(Duration::from_secs(9))
            ),
            None
        );
    }
    assert_eq!(control.share(), Percentage::ALL);
}

#[test]
fn differences_return_the_calls() {
    let mut control = control(guarded(|_| ()));
    assert_eq!(repeat(&mut control, RuleEvent::Same, 18, START), None);
    let later = START.saturating_add(Duration::from_secs(18));
    let (at, reason) = repeat(&mut control, RuleEvent::Different, 10, later).unwrap();
    assert_eq!(reason, "4 of 22 compared responses differ, more than 10%");
    assert_eq!(
        at, 3,
        "4 of 22, and 3 of 21 without one client, are more than 10%"
    );
}

#[test]
fn only_an_operator_resumes() {
    let rule = guarded(|_| ());
    let mut first = control(rule.clone());
    assert!(repeat(&mut first, RuleEvent::Failed, 20, START).is_some());
    let later = START.saturating_add(Duration::from_hours(24));
    assert_eq!(repeat(&mut first, RuleEvent::Responded, 500, later), None);
    assert_eq!(first.share(), Percentage::NONE);
    // Neither does a restart, nor other settings.
    let mut second = RuleControl::new(rule, first.standing.clone());
    second.adopt(CutoverRule::default());
    assert_eq!(second.share(), Percentage::NONE);
    assert!(second.resume(later));
    assert!(!second.resume(later));
    assert_eq!(second.share(), Percentage::ALL);
    assert_eq!(
        repeat(&mut second, RuleEvent::Failed, 4, later),
        None,
        "the window begins anew"
    );
}

proptest! {
    /// Whatever happens, in whatever order: a rule that was returned takes no client until it is resumed, and no event
    /// that is within every limit returns anything.
    #[test]
    fn returned_calls_stay_returned(events in prop::collection::vec((0_u8..5, 0_u64..5_000), 1..400)) {
        let mut control = control(guarded(|_| ()));
        let mut now = START;
        let mut is_returned = false;
        for (kind, pause) in events {
            now = now.saturating_add(Duration::from_millis(pause));
            let event = match kind {
                0 => RuleEvent::Failed,
                1 => RuleEvent::Different,
                2 => RuleEvent::Same,
                _ => RuleEvent::Responded,
            };
            let before = control.share();
            if control.observe(event, client(now.as_secs()), now).is_some() {
                prop_assert!(!is_returned);
                is_returned = true;
            } else {
                prop_assert_eq!(before, control.share());
            }
            prop_assert_eq!(is_returned, control.share() == Percentage::NONE);
        }
    }

    #[test]
    fn a_backend_within_its_limits_is_never_returned(
        seconds in prop::collection::vec(0_u64..30, 1..500),
    ) {
        let mut control = control(guarded(|_| ()));
        let mut now = START;
        for pause in seconds {
            now = now.saturating_add(Duration::from_secs(pause));
            for event in [RuleEvent::Responded, RuleEvent::Same] {
                prop_assert_eq!(control.observe(event, client(now.as_secs()), now), None);
            }
        }
    }
}
