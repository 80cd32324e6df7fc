//! A client that calls several edges far faster than it may: what they allow together, by the exchange with their store.
//!
//! `cargo test -p calendar-edge-core flood_tests -- --nocapture` prints the figures.

use std::time::{Duration, Instant};

use super::bucket_store::BucketStore;
use super::settlement_tests::{KEY, ModelLevels};
use crate::limits::dice::Dice;
use crate::settings::Rate;

const RATE: Rate = Rate {
    requests: 60,
    period: Duration::from_mins(1),
};

const LENGTH: Duration = Duration::from_mins(10);

/// The calls that one edge allows in ten minutes, and in the first one.
const ONE_EDGE: (f64, f64) = (660.0, 120.0);

/// The way in which edges exchange their counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Talk {
    WithDebt,
    WithoutDebt,
    Never,
}

struct Attack {
    edges: usize,
    interval: Duration,
    calls_a_second: u32,
    talk: Talk,
}

impl Attack {
    /// The calls that all edges allow, as parts of what one edge allows in the whole time and in the first minute.
    fn allowed(&self) -> (f64, f64) {
        let edges: Vec<_> = (0..self.edges).map(|_| BucketStore::of_fleet(10)).collect();
        let (mut store, mut dice, start) = (ModelLevels::default(), Dice(7), Instant::now());
        let (mut all, mut first) = (0, 0);
        // Edges exchange in turn, so that each has its own phase within the interval.
        let phase = self.interval / u32::try_from(self.edges).unwrap();
        let pause = Duration::from_secs(1) / self.calls_a_second;
        let (mut at, mut next, mut turn) = (Duration::ZERO, phase, 0);
        while at < LENGTH {
            while next <= at {
                self.exchange(&edges[turn], &mut store, start + next);
                (turn, next) = ((turn + 1) % self.edges, next + phase);
            }
            let edge = &edges[dice.side(self.edges)];
            let is_allowed = edge.spend(KEY, &RATE, start + at).is_ok();
            all += u32::from(is_allowed);
            first += u32::from(is_allowed && at < RATE.period);
            at += pause;
        }
        (f64::from(all) / ONE_EDGE.0, f64::from(first) / ONE_EDGE.1)
    }

    fn exchange(&self, edge: &BucketStore, store: &mut ModelLevels, now: Instant) {
        if self.talk == Talk::Never {
            return;
        }
        for settled in edge.take_unsettled(512, now) {
            let debt = match self.talk {
                Talk::WithDebt => settled.taken.debt(),
                _ => Duration::ZERO,
            };
            let level = store.settle(&settled, debt, now);
            edge.adopt(settled, level, now);
        }
    }
}

/// The calls that a client at so many times its rate is allowed, printed.
fn allowed(edges: usize, millis: u64, times: u32, talk: Talk) -> (f64, f64) {
    let attack = Attack {
        edges,
        interval: Duration::from_millis(millis),
        calls_a_second: times,
        talk,
    };
    let (all, first) = attack.allowed();
    println!(
        "{edges:2} edges, {millis:4} ms, {times:3} times the rate, {talk:?}: {all:.3}, first minute {first:.3}"
    );
    (all, first)
}

#[test]
fn a_flood_over_several_edges_gets_what_one_edge_allows() {
    for times in [10, 100] {
        let (all, first) = allowed(3, 100, times, Talk::WithDebt);
        assert!(
            (0.95..=1.02).contains(&all) && first <= 1.05,
            "{times}: {all} {first}"
        );
    }
    let (all, first) = allowed(10, 100, 100, Talk::WithDebt);
    assert!(all <= 1.02 && first <= 1.1, "{all} {first}");
    let (all, _) = allowed(10, 1000, 100, Talk::WithDebt);
    assert!(all <= 1.1, "{all}");
}

#[test]
fn without_debt_or_without_a_store_the_rate_multiplies() {
    let (without_debt, _) = allowed(3, 100, 100, Talk::WithoutDebt);
    assert!(without_debt > 2.0, "{without_debt}");
    let (alone, _) = allowed(3, 100, 100, Talk::Never);
    assert!((2.9..=3.0).contains(&alone), "{alone}");
}
