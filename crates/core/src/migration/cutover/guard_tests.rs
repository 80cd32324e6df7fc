//! The time until a guard is sure, and its reason, under a simulated clock.

use std::time::Duration;

use http::{HeaderMap, StatusCode};

use super::control_tests::{START, client, control, guarded, percentage};
use super::rule_event::RuleEvent;
use crate::migration::comparison::{ComparedResponse, OwnHosts, PathFindings, compare};
use crate::settings::GuardSettings;
use calendar_edge_judge::contract::table;

#[test]
fn half_of_the_calls_fail_and_few_are_enough() {
    let mut control = control(guarded(|guard| guard.calls = 1_000));
    let returned = (0..200).find(|&n| {
        let event = if n % 2 == 0 {
            RuleEvent::Failed
        } else {
            RuleEvent::Responded
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
                control.observe(RuleEvent::Responded, client(n), ten_a_minute(n)),
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
                (RuleEvent::Responded, client(100 + n))
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
            for event in [RuleEvent::Began, end] {
                change = change.or(control.observe(event, client(n), now));
            }
        }
        assert_eq!(change.is_some(), is_returned, "{change:?}");
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
    let read = table().named("events.read").unwrap();
    compare(read, response(primary.as_bytes()), response(other.as_bytes()))
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
