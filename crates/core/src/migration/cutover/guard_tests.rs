//! How soon a guard is sure, and of what, under a simulated clock.

use std::time::Duration;

use http::{HeaderMap, StatusCode};

use super::control_tests::{QUICK, START, client, control, guarded, percentage};
use super::rule_event::RuleEvent;
use crate::migration::comparison::{ComparedResponse, OwnHosts, PathFindings, compare};
use crate::settings::GuardSettings;

#[test]
fn half_of_the_calls_fail_and_few_are_enough() {
    let mut control = control(guarded(|guard| guard.calls = 1_000));
    let returned = (0..200).find(|&n| {
        let event = if n % 2 == 0 {
            RuleEvent::Failed
        } else {
            RuleEvent::Answered(QUICK)
        };
        let now = START.saturating_add(Duration::from_secs(n * 3));
        control.observe(event, client(n), now).is_some()
    });
    assert!(returned.is_some_and(|n| n < 30), "{returned:?}");
}

#[test]
fn few_calls_a_minute_are_enough() {
    for limit in ["1%", "20%"] {
        let mut control = control(guarded(|guard| {
            guard.window = Duration::from_mins(5);
            guard.calls = 200;
            guard.failures = Some(percentage(limit));
        }));
        let ten_a_minute = |n: u64| START.saturating_add(Duration::from_secs(6 * n));
        for n in 0..100 {
            assert_eq!(
                control.observe(RuleEvent::Answered(QUICK), client(n), ten_a_minute(n)),
                None
            );
        }
        let returned = (100..200).find(|&n| {
            let change = control.observe(RuleEvent::Failed, client(n % 5), ten_a_minute(n));
            change.is_some()
        });
        assert!(returned.is_some_and(|n| n < 108), "{limit}: {returned:?}");
    }
}

#[test]
fn a_fault_is_one_of_clients_as_well_as_of_calls() {
    for (failing, is_returned) in [(1, false), (5, false), (60, true)] {
        let mut control = control(guarded(|guard| guard.failures = Some(percentage("1%"))));
        let mut change = None;
        for n in 0..2_000 {
            let now = START.saturating_add(Duration::from_millis(n * 10));
            let (event, client) = if n > 1_000 && n % 10 == 0 {
                (RuleEvent::Failed, client(n / 10 % failing))
            } else {
                (RuleEvent::Answered(QUICK), client(100 + n))
            };
            change = change.or(control.observe(event, client, now));
        }
        assert_eq!(change.is_some(), is_returned, "{failing} clients: {change:?}");
    }
}

#[test]
fn answers_that_break_off_fail_and_others_end_well() {
    for (breaks, is_returned) in [(true, true), (false, false)] {
        let mut control = control(guarded(|_| ()));
        let mut change = None;
        for n in 0..15 {
            let now = START.saturating_add(Duration::from_secs(n));
            let end = if breaks {
                RuleEvent::BrokeOff
            } else {
                RuleEvent::Ended
            };
            for event in [RuleEvent::Began(QUICK), end] {
                change = change.or(control.observe(event, client(n), now));
            }
        }
        assert_eq!(change.is_some(), is_returned, "{change:?}");
    }
}

/// Calls of 30 clients, 20 a second on either side; how long until late responses of the backend return them.
fn until_late_answers_return(is_late: impl Fn(u64) -> bool, late: u64) -> Option<Duration> {
    let mut control = control(guarded(|guard| guard.window = Duration::from_mins(5)));
    let site = RuleEvent::PrimaryAnswered(Duration::from_millis(100));
    for n in 0..4_800 {
        let now = START.saturating_add(Duration::from_millis(n * 50));
        let is_slow = n >= 2_400 && is_late(n - 2_400);
        let millis = if is_slow { 100 + late } else { 100 };
        assert_eq!(control.observe(site, client(n % 30), now), None);
        let answered = RuleEvent::Answered(Duration::from_millis(millis));
        if control.observe(answered, client(n % 29), now).is_some() {
            return n.checked_sub(2_400).map(|n| Duration::from_millis(n * 50));
        }
    }
    None
}

#[test]
fn late_answers_are_seen_within_seconds_of_a_good_time() {
    for (share, late, most) in [(20, 300, 4), (9, 400, 8)] {
        let after = until_late_answers_return(|n| n * share % 20 < share, late);
        assert!(
            after.is_some_and(|after| after < Duration::from_secs(most)),
            "{share} of 20: {after:?}"
        );
    }
    assert_eq!(until_late_answers_return(|n| n % 20 == 0, 400), None);
    // A pause of a second makes all late that it meets, and one in ten minutes is no slowness.
    assert_eq!(until_late_answers_return(|n| (40..60).contains(&n), 400), None);
}

#[test]
fn a_backend_is_not_slow_while_the_site_is() {
    let mut control = control(guarded(|_| ()));
    for n in 0..4_000_u64 {
        let now = START.saturating_add(Duration::from_millis(n * 50));
        let took = Duration::from_millis(if n < 2_000 { 100 } else { 400 });
        // The site says so a moment before.
        assert_eq!(
            control.observe(RuleEvent::PrimaryAnswered(took), client(n), now),
            None
        );
        if !(2_000..2_025).contains(&n) {
            assert_eq!(
                control.observe(RuleEvent::Answered(took), client(n), now),
                None,
                "{n}"
            );
        }
    }
}

/// A list at a moment, in milliseconds: one of its titles is edited each two seconds.
fn edited(millis: u64, ending: &str) -> String {
    let edit = millis / 2_000;
    let events = (0..4).map(|n| format!(r#"{{"id":{n},"title":"edit {}{ending}"}}"#, (edit + n) / 4));
    format!(r#"{{"events":[{}]}}"#, events.collect::<Vec<_>>().join(","))
}

fn findings(primary: &str, other: &str) -> PathFindings {
    let headers = HeaderMap::new();
    let response = |body| ComparedResponse {
        status: StatusCode::OK,
        headers: &headers,
        body,
        own_hosts: OwnHosts::NONE,
    };
    compare(None, response(primary.as_bytes()), response(other.as_bytes()))
}

/// The findings about a read at a moment that stay, as copies of calls find them: they look again while something
/// changes, and compare each response of the candidate with all that the site has given since the read.
fn that_stay(millis: u64, candidate: impl Fn(u64) -> String) -> PathFindings {
    let (mut given, mut last) = (vec![edited(millis, "")], candidate(millis + 30));
    let mut found = findings(&given[0], &last);
    for look in 1..=3 {
        if !found.worst().is_another_value() {
            break;
        }
        let other = candidate(millis + look * 1_100);
        let fresh = edited(millis + look * 1_130, "");
        let is_still = other == last && given.last() == Some(&fresh);
        given.push(fresh);
        for primary in &given {
            found = found.that_stay(&findings(primary, &other));
        }
        last = other;
        if is_still {
            break;
        }
    }
    found
}

#[test]
fn a_candidate_that_follows_stays_through_an_hour_of_edits_and_a_wrong_value_returns_it() {
    const HOUR: u64 = 3_600_000;
    for (lag, clients) in [(40, 30), (300, 30), (900, 30), (300, 1)] {
        let mut control = control(guarded(|guard| {
            *guard = GuardSettings {
                window: Duration::from_mins(5),
                calls: 200,
                failures: Some(percentage("1%")),
                different: Some(percentage("0.1%")),
                slower: Some(50),
            }
        }));
        let reads = (0..).map(|n| n * 370);
        let returned = reads.take_while(|millis| *millis < HOUR + 60_000).find(|millis| {
            let found = that_stay(*millis, |at| {
                let ending = if at < HOUR { "" } else { " wrong" };
                edited(at.saturating_sub(lag), ending)
            });
            let now = START.saturating_add(Duration::from_millis(*millis));
            let event = RuleEvent::of_difference(found.worst());
            control.observe(event, client(*millis % clients), now).is_some()
        });
        assert!(
            returned.is_some_and(|millis| (HOUR - 5_000..HOUR + 10_000).contains(&millis)),
            "{lag} ms, {clients} clients: {returned:?}"
        );
    }
}
