//! One part of the buckets, in the order in which they will be full.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
use std::time::Instant;

use super::taken::{Settlement, Taken};

/// Values by the keyed hash of a bucket.
pub(super) type ByBucket<V> = HashMap<u64, V, BuildHasherDefault<HashedAlready>>;

/// Takes a keyed hash as it is. The lowest bits, which all buckets of a shard have in common, become the highest.
#[derive(Debug, Default)]
pub(super) struct HashedAlready(u64);

/// Some of the buckets.
#[derive(Debug, Default)]
pub(super) struct Shard {
    pub(super) full_at: ByBucket<Instant>,
    /// Each bucket once, by the time it was first to be full; that may have changed since.
    pub(super) by_time: BinaryHeap<Reverse<(Instant, u64)>>,
    /// The charges that other edges have not received yet.
    pub(super) unsettled: ByBucket<Taken>,
}

// === impl HashedAlready ===

impl Hasher for HashedAlready {
    fn finish(&self) -> u64 {
        self.0.rotate_right(8)
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

// === impl Shard ===

impl Shard {
    pub(super) fn insert(&mut self, own: u64, full_at: Instant) {
        if self.full_at.insert(own, full_at).is_none() {
            self.by_time.push(Reverse((full_at, own)));
        }
    }

    /// Adds to what other edges receive about a bucket.
    pub(super) fn note(&mut self, own: u64, taken: Taken) {
        let noted = self.unsettled.entry(own);
        noted.and_modify(|noted| noted.add(taken)).or_insert(taken);
    }

    /// Takes what other edges are to receive about at most so many buckets. No bucket sends more than it still owes: what
    /// time has given back is no concern of theirs.
    pub(super) fn take_unsettled(&mut self, most: usize, now: Instant, taken: &mut Vec<Settlement>) {
        let Self {
            full_at, unsettled, ..
        } = self;
        let owed = |own| {
            full_at
                .get(&own)
                .map(|full_at: &Instant| full_at.saturating_duration_since(now))
        };
        let unsettled = unsettled.extract_if(|_, _| true).take(most);
        taken.extend(unsettled.map(|(own, taken)| Settlement {
            bucket: own,
            taken: taken.within(owed(own).unwrap_or_default()),
        }));
    }

    /// Forgets full buckets among the first so many, and returns their number.
    pub(super) fn drop_full(&mut self, checked: usize, now: Instant) -> usize {
        let before = self.full_at.len();
        for _ in 0..checked {
            let Some(mut first) = self.by_time.peek_mut() else {
                break;
            };
            let Reverse((noted, own)) = *first;
            if noted > now {
                break;
            }
            match self.full_at.get(&own) {
                Some(full_at) if *full_at > now => *first = Reverse((*full_at, own)),
                _ => {
                    std::collections::binary_heap::PeekMut::pop(first);
                    self.full_at.remove(&own);
                    self.unsettled.remove(&own);
                }
            }
        }
        self.shrink();
        before - self.full_at.len()
    }

    /// Gives memory back that a crowd took.
    fn shrink(&mut self) {
        let left = self.full_at.len();
        if self.full_at.capacity() / 8 > left {
            self.full_at.shrink_to(left * 2);
            self.by_time.shrink_to(left * 2);
            self.unsettled.shrink_to(left * 2);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_bucket_is_forgotten_in_the_moment_when_it_is_full() {
        let begun = Instant::now();
        let [first, second] = [1, 2].map(|seconds| begun + Duration::from_secs(seconds));
        let mut shard = Shard::default();
        shard.insert(7, first);
        shard.insert(8, second);
        // It is full later than it was noted.
        shard.insert(7, second);
        assert_eq!(shard.drop_full(10, begun), 0);
        assert_eq!(shard.drop_full(10, first), 0);
        assert_eq!(shard.drop_full(1, second), 1);
        assert_eq!(shard.drop_full(10, second), 1);
        assert!(shard.by_time.is_empty());
    }
}
