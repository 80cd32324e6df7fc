//! Rules of several edges under a simulated clock, and a store that compares versions.

use std::time::Duration;

use super::control::RuleControl;
use super::control_tests::{START, client, control, guarded, percentage};
use super::rule_event::RuleEvent;
use super::rule_record::RuleRecord;
use super::shared_counts::SharedCounts;
use crate::settings::CutoverRule;
use crate::unix_time::UnixTime;

/// The edges of a fleet, and what their store holds.
struct SimulatedFleet {
    edges: Vec<RuleControl>,
    stored: Option<RuleRecord>,
}

impl SimulatedFleet {
    fn of(rule: &CutoverRule, edges: usize) -> Self {
        let edge = |_| control(rule.clone());
        let mut fleet = Self {
            edges: (0..edges).map(edge).collect(),
            stored: None,
        };
        fleet.exchange(START);
        fleet.exchange(START);
        fleet
    }

    /// Each edge writes the changes that the store does not have, reads those that it holds, and takes the counts of
    /// the others.
    fn exchange(&mut self, now: UnixTime) {
        for edge in &mut self.edges {
            edge.merge(self.stored.as_ref());
            if edge.standing.is_unreported() {
                let version = edge.standing.version;
                edge.confirm(version);
                self.stored = Some(edge.standing.clone());
            }
        }
        for place in 0..self.edges.len() {
            let others = self.counts_beside(place, now);
            for counts in self.edges[place].counts_to_send(now) {
                let of_slot: Vec<_> = others
                    .iter()
                    .filter(|other| other.slot == counts.slot)
                    .cloned()
                    .collect();
                self.edges[place].take_counts(&counts.slot, &of_slot, now);
            }
        }
    }

    fn counts_beside(&self, place: usize, now: UnixTime) -> Vec<SharedCounts> {
        let others = self.edges.iter().enumerate().filter(|(other, _)| *other != place);
        others.flat_map(|(_, other)| other.counts_to_send(now)).collect()
    }

    fn are_returned(&self) -> Vec<bool> {
        self.edges
            .iter()
            .map(|edge| edge.standing.returned.is_some())
            .collect()
    }
}

fn at(seconds: u64) -> UnixTime {
    START.saturating_add(Duration::from_secs(seconds))
}

#[test]
fn failures_that_are_few_at_each_edge_are_too_many_for_all() {
    let rule = guarded(|guard| guard.failures = Some(percentage("1%")));
    let mut fleet = SimulatedFleet::of(&rule, 3);
    for n in 0..60 {
        let edge = &mut fleet.edges[usize::try_from(n % 3).unwrap()];
        edge.observe(RuleEvent::Responded, client(n), START);
    }
    // One failure at each, of another client: alone that proves nothing.
    for n in 0..6 {
        let place = usize::try_from(n % 3).unwrap();
        if n < 3 {
            assert_eq!(
                fleet.edges[place].observe(RuleEvent::Failed, client(100 + n), at(1)),
                None
            );
        }
    }
    assert_eq!(fleet.are_returned(), [false; 3]);
    fleet.exchange(at(1));
    fleet.exchange(at(1));
    assert_eq!(fleet.are_returned(), [true; 3]);
}

#[test]
fn t94_one_client_of_all_edges_is_one_client() {
    let mut fleet = SimulatedFleet::of(&guarded(|_| ()), 3);
    fleet.edges[0].observe(RuleEvent::Responded, client(1), at(0));
    fleet.exchange(at(0));
    for n in 0..90 {
        let edge = &mut fleet.edges[usize::try_from(n % 3).unwrap()];
        edge.observe(RuleEvent::Failed, client(7), at(n / 10));
        fleet.exchange(at(n / 10));
    }
    assert_eq!(fleet.are_returned(), [false; 3]);
}

#[test]
fn a_resumed_rule_is_not_returned_for_what_was_counted_before() {
    let mut fleet = SimulatedFleet::of(&guarded(|_| ()), 2);
    for n in 0..8 {
        fleet.edges[0].observe(RuleEvent::Failed, client(n), at(1));
    }
    fleet.exchange(at(2));
    assert_eq!(fleet.are_returned(), [true; 2]);
    assert!(fleet.edges[1].resume(at(3)));
    fleet.exchange(at(3));
    for second in 3..8 {
        fleet.exchange(at(second));
        assert_eq!(fleet.are_returned(), [false; 2]);
    }
}

#[test]
fn a_change_of_another_edge_is_told_once() {
    let mut fleet = SimulatedFleet::of(&guarded(|_| ()), 2);
    for n in 0..8 {
        fleet.edges[0].observe(RuleEvent::Failed, client(n), at(1));
    }
    let returned = fleet.edges[0].standing.clone();
    assert!(fleet.edges[1].merge(Some(&returned)));
    assert_eq!(fleet.edges[1].share(), percentage("0%"));
    assert!(!fleet.edges[1].merge(Some(&returned)));
}
