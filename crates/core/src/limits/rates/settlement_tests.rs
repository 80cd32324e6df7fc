//! Random lives of a client over several edges and their store.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::bucket_store::{BucketKey, BucketStore};
use super::taken::Settlement;
use crate::settings::Rate;

pub(super) const KEY: BucketKey = BucketKey { own: 1, shared: 0 };

const RATE: Rate = Rate {
    requests: 5,
    period: Duration::from_secs(10),
};

/// A store outside of the edges, as its script works.
#[derive(Debug, Default)]
pub(super) struct ModelLevels {
    full_at: HashMap<u64, Instant>,
}

impl ModelLevels {
    /// Adds the charges, and returns the level.
    pub(super) fn settle(&mut self, settled: &Settlement, debt: Duration, now: Instant) -> Duration {
        let known = self.full_at.get(&settled.bucket).copied();
        let owed = known.unwrap_or(now).saturating_duration_since(now);
        let micros = i64::try_from(owed.as_micros()).unwrap() + settled.taken.micros();
        let owed = Duration::from_micros(u64::try_from(micros).unwrap_or(0));
        let owed = owed.min(settled.taken.period + debt);
        self.full_at.insert(settled.bucket, now + owed);
        owed
    }
}

/// One step of the life.
#[derive(Debug, Clone, Copy)]
enum LifeStep {
    /// The client calls this edge.
    Call(usize),
    /// An exchange of this edge, of which the request or the reply may be lost.
    Exchange(usize, Fate),
}

/// The fate of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Whole,
    RequestLost,
    ReplyLost,
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        4 => Just(Fate::Whole),
        1 => Just(Fate::RequestLost),
        1 => Just(Fate::ReplyLost),
    ]
}

fn step(edges: usize) -> impl Strategy<Value = LifeStep> {
    prop_oneof![
        3 => (0..edges).prop_map(LifeStep::Call),
        1 => (0..edges, fate()).prop_map(|(edge, fate)| LifeStep::Exchange(edge, fate)),
    ]
}

/// Exchanges the messages of one edge.
fn exchange(edge: &BucketStore, store: &mut ModelLevels, fate: Fate, now: Instant) {
    for settled in edge.take_unsettled(512, now) {
        if fate == Fate::RequestLost {
            edge.keep_unsettled(settled);
            continue;
        }
        let level = store.settle(&settled, settled.taken.debt(), now);
        match fate {
            Fate::Whole => edge.adopt(settled, level, now),
            _ => edge.keep_unsettled(settled),
        }
    }
}

proptest! {
    /// One edge with a store of its own allows as many calls as an edge without one, whenever they exchange.
    #[test]
    fn one_edge_of_a_fleet_is_as_one_edge(
        steps in prop::collection::vec((step(1), 0_u64..3000), 1..200),
    ) {
        let (edge, alone) = (BucketStore::of_fleet(10), BucketStore::new(10));
        let (mut store, mut now) = (ModelLevels::default(), Instant::now());
        for (step, millis) in steps {
            now += Duration::from_millis(millis);
            match step {
                LifeStep::Call(_) => {
                    prop_assert_eq!(edge.spend(KEY, &RATE, now), alone.spend(KEY, &RATE, now));
                }
                // A message whose reply is lost is sent twice.
                LifeStep::Exchange(_, Fate::ReplyLost) => {}
                LifeStep::Exchange(_, fate) => exchange(&edge, &mut store, fate, now),
            }
        }
    }

    /// Whatever is lost or sent twice, no edge allows more than it would alone, and none locks a client out for longer
    /// than until the debt is paid.
    #[test]
    fn no_edge_allows_more_for_being_in_a_fleet(
        steps in prop::collection::vec((step(3), 0_u64..3000), 1..300),
    ) {
        let edges: [BucketStore; 3] = std::array::from_fn(|_| BucketStore::of_fleet(10));
        let alone: [BucketStore; 3] = std::array::from_fn(|_| BucketStore::new(10));
        let mut allowed = [(0, 0); 3];
        let (mut store, mut now) = (ModelLevels::default(), Instant::now());
        for (step, millis) in steps {
            now += Duration::from_millis(millis);
            match step {
                LifeStep::Call(edge) => {
                    let spent = edges[edge].spend(KEY, &RATE, now);
                    allowed[edge].0 += u32::from(spent.is_ok());
                    allowed[edge].1 += u32::from(alone[edge].spend(KEY, &RATE, now).is_ok());
                    prop_assert!(allowed[edge].0 <= allowed[edge].1);
                    // The time until one call: a period of debt and a share at most.
                    prop_assert!(spent.err().is_none_or(|wait| wait <= RATE.period + RATE.period / 5));
                }
                LifeStep::Exchange(edge, fate) => exchange(&edges[edge], &mut store, fate, now),
            }
        }
    }

    /// Each bucket is sent once, whatever the order in which they are taken.
    #[test]
    fn every_call_is_told_once(
        calls in prop::collection::vec(0_u64..1000, 1..400), most in 1_usize..100,
    ) {
        let now = Instant::now();
        let edge = BucketStore::of_fleet(2000);
        let mut spent: HashMap<u64, i64> = HashMap::new();
        for own in calls {
            if edge.spend(BucketKey { own, shared: 0 }, &RATE, now).is_ok() {
                *spent.entry(own).or_default() += 2_000_000;
            }
        }
        let mut told = HashMap::new();
        loop {
            let taken = edge.take_unsettled(most, now);
            prop_assert!(taken.len() <= most);
            if taken.is_empty() {
                break;
            }
            for settled in taken {
                prop_assert_eq!(told.insert(settled.bucket, settled.taken.micros()), None);
            }
        }
        prop_assert_eq!(told, spent);
    }
}

#[test]
fn an_hour_alone_does_not_arrive_as_an_hour_of_calls() {
    let (edge, mut now) = (BucketStore::of_fleet(10), Instant::now());
    let mut spent = 0;
    for _ in 0..3600 {
        now += Duration::from_secs(1);
        spent += u32::from(edge.spend(KEY, &RATE, now).is_ok());
    }
    assert!(spent > 1800);
    let told = edge.take_unsettled(10, now)[0].taken.micros();
    assert!((0..=10_000_000).contains(&told), "{told}");
}
