//! What an edge tells the other edges of a fleet about its buckets, and the levels that it takes over from them.
//!
//! A store outside of the edges holds the level of each bucket. An edge adds what it has taken since the last exchange and
//! takes over the sum. Several edges can allow too much between two exchanges: that is *debt*, and is taken off the next
//! calls of the client.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::bucket_store::BucketStore;
use super::gcra;
use crate::settings::Rate;

/// What was taken from a bucket, or given back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taken {
    /// The time in which the bucket regains it, in nanoseconds; negative if it was given back.
    nanos: i64,
    /// The time in which the bucket regains everything.
    period: Duration,
}

/// A bucket, and what the store has not been told of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settlement {
    /// The keyed hash of the bucket.
    pub bucket: u64,
    /// What was taken from it.
    pub taken: Taken,
}

// === impl Taken ===

impl Taken {
    /// One call of a rate.
    pub(super) fn of(rate: &Rate) -> Self {
        Self {
            nanos: signed(gcra::share(rate).as_nanos()),
            period: rate.period,
        }
    }

    /// Nothing, of a bucket with this rate.
    pub(super) const fn nothing(rate: &Rate) -> Self {
        Self {
            nanos: 0,
            period: rate.period,
        }
    }

    /// This much of it, given back.
    pub(super) fn given_back(self, back: Duration) -> Self {
        Self {
            nanos: signed(back.as_nanos()).min(self.nanos).saturating_neg(),
            ..self
        }
    }

    /// The opposite.
    pub(super) const fn undone(self) -> Self {
        Self {
            nanos: self.nanos.saturating_neg(),
            ..self
        }
    }

    /// The time in which the bucket regains it, in microseconds; negative if it was given back.
    pub const fn micros(self) -> i64 {
        self.nanos / 1000
    }

    /// The time in which the bucket regains everything.
    pub const fn period(self) -> Duration {
        self.period
    }

    /// The most that several edges may have allowed beyond an empty bucket: as much again as it holds. What exceeds that is
    /// forgiven.
    pub const fn debt(self) -> Duration {
        self.period
    }

    /// Adds another share of the same bucket, whose period holds from now on.
    pub(super) const fn add(&mut self, other: Self) {
        self.nanos = self.nanos.saturating_add(other.nanos);
        self.period = other.period;
    }

    /// The part of it within what a bucket still owes.
    pub(super) fn within(self, owed: Duration) -> Self {
        Self {
            nanos: self.nanos.min(signed(owed.as_nanos())),
            ..self
        }
    }

    /// A level of the store with this share in it, which the store has not heard of.
    fn over(self, level: Duration) -> Duration {
        let nanos = signed(level.as_nanos()).saturating_add(self.nanos);
        let most = self.period.saturating_add(self.debt());
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(0)).min(most)
    }
}

fn signed(nanos: u128) -> i64 {
    i64::try_from(nanos).unwrap_or(i64::MAX)
}

// === impl Settlement ===

impl Settlement {
    /// What undoes it.
    #[must_use]
    pub const fn undone(self) -> Self {
        Self {
            taken: self.taken.undone(),
            ..self
        }
    }
}

// === impl BucketStore ===

impl BucketStore {
    /// Takes what the store has not been told, of at most so many buckets; the others follow next time.
    pub fn take_unsettled(&self, most: usize, now: Instant) -> Vec<Settlement> {
        let mut taken = Vec::new();
        let first = self.next_settled.load(Ordering::Relaxed);
        for (passed, shard) in self.shards_from(first).enumerate() {
            if taken.len() >= most {
                self.next_settled
                    .store(first.wrapping_add(passed), Ordering::Relaxed);
                break;
            }
            shard.lock().take_unsettled(most - taken.len(), now, &mut taken);
        }
        taken
    }

    /// Takes over the level that the store answered: the time until the bucket is full, to which is added what was
    /// taken from it meanwhile. A bucket that this edge has forgotten returns if there is room.
    pub fn adopt(&self, settled: Settlement, level: Duration, now: Instant) {
        let mut shard = self.shard(settled.bucket).lock();
        let meanwhile = shard.unsettled.get(&settled.bucket);
        let meanwhile = meanwhile.copied().unwrap_or(Taken {
            nanos: 0,
            ..settled.taken
        });
        let level = meanwhile.over(level);
        let is_known = shard.full_at.contains_key(&settled.bucket);
        if is_known || (!level.is_zero() && self.reserve()) {
            shard.insert(settled.bucket, now + level);
        }
    }

    /// Keeps for the next exchange what this one did not tell. A bucket that this edge has forgotten is full.
    pub fn keep_unsettled(&self, untold: Settlement) {
        let mut shard = self.shard(untold.bucket).lock();
        if self.is_shared() && shard.full_at.contains_key(&untold.bucket) {
            shard.note(untold.bucket, untold.taken);
        }
    }
}
