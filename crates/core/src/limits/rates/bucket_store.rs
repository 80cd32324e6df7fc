//! The buckets of all clients. Their number is bounded, they are split into shards, and full buckets are
//! removed.
//!
//! A full bucket contains no information, so it may be removed. Each shard orders its buckets by the time
//! when they will be full. A call therefore looks at a few of them and never at all.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::gcra::{self, Level};
use super::shard::Shard;
use super::taken::Taken;
use crate::settings::Rate;

/// Number of shards: high enough that threads seldom wait for the same lock.
const SHARDS: usize = 64;

/// Number of buckets that each call may check in its shard. It is larger than the one bucket that a call may
/// add, so that full buckets never accumulate.
const CHECKED_BY_CALL: usize = 2;

/// Number of buckets that may be checked in each shard when the store is at its limit.
const CHECKED_BY_SWEEP: usize = 32;

/// Minimum time between two sweeps of all shards.
const SWEEP_INTERVAL: Duration = Duration::from_secs(1);

/// Buckets by keyed hash, so that the store contains neither addresses nor credentials.
#[derive(Debug)]
pub struct BucketStore {
    shards: [Mutex<Shard>; SHARDS],
    /// Maximum number of buckets in the shards.
    limit: usize,
    /// Number of buckets in the shards.
    tracked: AtomicUsize,
    /// The shared buckets, one for each budget, for clients that find the store at its limit.
    pub(super) overflow: Mutex<HashMap<u64, Instant>>,
    next_sweep: Mutex<Option<Instant>>,
    /// True if charges are noted for the other edges of a fleet.
    pub(super) is_shared: bool,
    /// The shard that the next exchange with them begins at.
    pub(super) next_settled: AtomicUsize,
}

/// The buckets that a call may be paid from.
#[derive(Debug, Clone, Copy)]
pub struct BucketKey {
    /// The client's own bucket.
    pub own: u64,
    /// The bucket that clients share when the store is at its limit.
    pub shared: u64,
}

/// The bucket that paid for a call.
#[derive(Debug, Clone, Copy)]
pub(super) enum PaidBy {
    Own(u64),
    Shared(u64),
}

// === impl BucketStore ===

impl BucketStore {
    /// A store of at most `limit` buckets, not counting shared ones.
    pub fn new(limit: usize) -> Self {
        Self {
            shards: std::array::from_fn(|_| Mutex::default()),
            limit,
            tracked: AtomicUsize::new(0),
            overflow: Mutex::default(),
            next_sweep: Mutex::default(),
            is_shared: false,
            next_settled: AtomicUsize::new(0),
        }
    }

    /// As [`Self::new`], for an edge that sends other edges what is spent.
    pub fn of_fleet(limit: usize) -> Self {
        Self {
            is_shared: true,
            ..Self::new(limit)
        }
    }

    /// Takes one call from a bucket.
    ///
    /// # Errors
    /// The time until the bucket has a call.
    pub fn spend(&self, key: BucketKey, rate: &Rate, now: Instant) -> Result<Level, Duration> {
        let noted = self.is_shared.then(|| Taken::of(rate));
        self.take(key, rate, noted, now).map(|(level, _)| level)
    }

    /// As [`Self::spend`], with the bucket that paid. Other edges receive the share that is given, if one is.
    pub(super) fn take(
        &self,
        key: BucketKey,
        rate: &Rate,
        noted: Option<Taken>,
        now: Instant,
    ) -> Result<(Level, PaidBy), Duration> {
        let spend_own = || self.spend_own(key.own, rate, noted, now);
        let own = spend_own().or_else(|| self.sweep(now).then(spend_own).flatten());
        if let Some(spent) = own {
            return spent.map(|level| (level, PaidBy::Own(key.own)));
        }
        let spent = self.spend_shared(key.shared, rate, now);
        spent.map(|level| (level, PaidBy::Shared(key.shared)))
    }

    /// The time until a bucket has a call; `None`: it has one now.
    pub fn wait(&self, key: BucketKey, rate: &Rate, now: Instant) -> Option<Duration> {
        let known = self.shard(key.own).lock().full_at.get(&key.own).copied();
        let is_full = || self.tracked.load(Ordering::Relaxed) >= self.limit;
        let shared = || self.overflow.lock().get(&key.shared).copied();
        let full_at = known.or_else(|| if is_full() { shared() } else { None });
        gcra::spend(rate, full_at, now).err()
    }

    /// Takes one call from a bucket, if there is room for it and it has one.
    pub(super) fn spend_if_room(&self, own: u64, rate: &Rate, now: Instant) {
        let noted = self.is_shared.then(|| Taken::of(rate));
        let _: Option<Result<Level, Duration>> = self.spend_own(own, rate, noted, now);
    }

    /// Returns true unless a bucket is there from which something was taken that it has not regained.
    pub(super) fn is_full(&self, own: u64, now: Instant) -> bool {
        let full_at = self.shard(own).lock().full_at.get(&own).copied();
        full_at.is_none_or(|full_at| full_at <= now)
    }

    /// Takes one call from a client's own bucket; `None` if the client has no bucket and the store is at its
    /// limit.
    fn spend_own(
        &self,
        own: u64,
        rate: &Rate,
        noted: Option<Taken>,
        now: Instant,
    ) -> Option<Result<Level, Duration>> {
        let mut shard = self.shard(own).lock();
        self.release(shard.drop_full(CHECKED_BY_CALL, now));
        let known = shard.full_at.get(&own).copied();
        let spent = gcra::spend(rate, known, now);
        if let Ok(level) = spent {
            if known.is_none() && !self.reserve() {
                return None;
            }
            shard.insert(own, level.full_at);
            if let Some(noted) = noted {
                shard.note(own, noted);
            }
        }
        Some(spent)
    }

    fn spend_shared(&self, shared: u64, rate: &Rate, now: Instant) -> Result<Level, Duration> {
        let mut overflow = self.overflow.lock();
        let level = gcra::spend(rate, overflow.get(&shared).copied(), now)?;
        overflow.insert(shared, level.full_at);
        Ok(level)
    }

    /// Looks for full buckets in all shards, at most once per [`SWEEP_INTERVAL`]; returns true if it looked.
    fn sweep(&self, now: Instant) -> bool {
        {
            let mut next = self.next_sweep.lock();
            if next.is_some_and(|at| at > now) {
                return false;
            }
            *next = Some(now + SWEEP_INTERVAL);
        }
        for shard in &self.shards {
            let forgotten = shard.lock().drop_full(CHECKED_BY_SWEEP, now);
            self.release(forgotten);
        }
        true
    }

    /// Counts one more bucket; returns false if the store is at its limit.
    pub(super) fn reserve(&self) -> bool {
        let more = |tracked: usize| (tracked < self.limit).then(|| tracked + 1);
        let counted = self
            .tracked
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        counted.is_ok()
    }

    fn release(&self, forgotten: usize) {
        if forgotten > 0 {
            self.tracked.fetch_sub(forgotten, Ordering::Relaxed);
        }
    }

    #[expect(clippy::indexing_slicing, reason = "a remainder is less than its divisor")]
    pub(super) fn shard(&self, own: u64) -> &Mutex<Shard> {
        let index = usize::try_from(own % SHARDS as u64).unwrap_or(0);
        &self.shards[index]
    }

    /// All shards once, from the one after that many.
    pub(super) fn shards_from(&self, skipped: usize) -> impl Iterator<Item = &Mutex<Shard>> {
        self.shards.iter().cycle().skip(skipped % SHARDS).take(SHARDS)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const RATE: Rate = Rate {
        requests: 2,
        period: Duration::from_secs(10),
    };

    fn key(own: u64) -> BucketKey {
        BucketKey { own, shared: 0 }
    }

    /// The number of all buckets, shared ones included.
    fn buckets(store: &BucketStore) -> usize {
        let own: usize = store.shards.iter().map(|shard| shard.lock().full_at.len()).sum();
        assert_eq!(store.tracked.load(Ordering::Relaxed), own);
        own + store.overflow.lock().len()
    }

    #[test]
    fn clients_do_not_spend_for_each_other() {
        let now = Instant::now();
        let store = BucketStore::new(10);
        for own in [1, 1, 2, 2] {
            assert!(store.spend(key(own), &RATE, now).is_ok());
        }
        assert_eq!(store.wait(key(1), &RATE, now), Some(Duration::from_secs(5)));
        assert_eq!(store.spend(key(1), &RATE, now), Err(Duration::from_secs(5)));
        assert_eq!(store.wait(key(3), &RATE, now), None);
    }

    #[test]
    fn beyond_the_limit_one_bucket_is_shared() {
        let now = Instant::now();
        let store = BucketStore::new(3);
        for own in 1..=5 {
            assert!(store.spend(key(own), &RATE, now).is_ok(), "{own}");
        }
        // Clients 4 and 5 have spent the bucket that client 6 would share.
        assert!(store.spend(key(6), &RATE, now).is_err());
        assert!(store.wait(key(6), &RATE, now).is_some());
        assert!(store.spend(key(1), &RATE, now).is_ok());
        assert_eq!(buckets(&store), 4);
    }

    #[test]
    fn full_buckets_make_room() {
        let now = Instant::now();
        let store = BucketStore::new(1000);
        for own in 1..=2000 {
            let _ = store.spend(key(own), &RATE, now);
        }
        let later = now + RATE.period;
        for own in 3000..4000 {
            assert!(store.spend(key(own), &RATE, later).is_ok());
        }
        let has_bucket = |own| store.shard(own).lock().full_at.contains_key(&own);
        assert!((3000..4000).all(has_bucket) && !(1..=2000).any(has_bucket));
    }

    #[test]
    fn a_crowd_releases_its_memory() {
        let now = Instant::now();
        let store = BucketStore::new(100_000);
        for own in 0..100_000 {
            let _ = store.spend(key(own), &RATE, now);
        }
        let later = now + RATE.period;
        for _ in 0..1000 {
            let _ = store.spend(key(64), &RATE, later);
        }
        let left = store.shards[0].lock();
        assert_eq!((left.full_at.len(), left.by_time.len()), (1, 1));
        assert!(left.full_at.capacity() < 100 && left.by_time.capacity() < 100);
    }

    #[test]
    fn a_crowd_does_not_sweep_the_shards_at_each_call() {
        let now = Instant::now();
        let store = BucketStore::new(1);
        let _ = store.spend(key(1), &RATE, now);
        let _ = store.spend(key(2), &RATE, now);
        let swept = *store.next_sweep.lock();
        assert!(swept.is_some());
        let _ = store.spend(key(3), &RATE, now + SWEEP_INTERVAL / 2);
        assert_eq!(*store.next_sweep.lock(), swept);
    }

    #[test]
    fn threads_stay_within_the_limit() {
        let now = Instant::now();
        let store = BucketStore::new(500);
        let crowd = |first: u64| {
            for own in 0..2000 {
                let at = now + RATE.period * u32::try_from(own / 500).unwrap();
                let _ = store.spend(key(own * 4 + first), &RATE, at);
                assert!(store.tracked.load(Ordering::Relaxed) <= 500);
            }
        };
        std::thread::scope(|scope| {
            for first in 0..4 {
                let crowd = &crowd;
                scope.spawn(move || crowd(first));
            }
        });
        assert!(buckets(&store) <= 501);
    }

    proptest! {
        /// The model keeps every bucket for ever. Removed buckets must make no difference to it.
        #[test]
        fn each_bucket_allows_what_gcra_allows_and_their_number_is_bounded(
            limit in 1usize..20,
            calls in prop::collection::vec((0u64..200, 0u64..4000), 1..400),
        ) {
            let store = BucketStore::new(limit);
            let mut now = Instant::now();
            let mut model: HashMap<Option<u64>, Instant> = HashMap::new();
            for (own, gap) in calls {
                now += Duration::from_millis(gap);
                let spent = store.spend(key(own), &RATE, now);
                let has_bucket = store.shard(own).lock().full_at.contains_key(&own);
                let payer = has_bucket.then_some(own);
                prop_assert_eq!(spent, gcra::spend(&RATE, model.get(&payer).copied(), now));
                if let Ok(level) = spent {
                    model.insert(payer, level.full_at);
                }
                prop_assert!(store.tracked.load(Ordering::Relaxed) <= limit);
                prop_assert!(buckets(&store) <= limit + 1);
            }
        }
    }
}
