//! The messages of an edge to the other edges of a fleet about its buckets, and the levels that it takes over from
//! them.
//!
//! A store outside of the edges holds the level of each bucket. An edge adds what it has taken since the last exchange and
//! takes over the sum. Several edges can allow too much between two exchanges: that is *debt*, and is taken off the next
//! calls of the client.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::bucket_store::BucketStore;
use super::taken::{Settlement, Taken};

/// The most buckets of one shard with levels to be settled at which one more is requested.
const MOST_REQUESTED: usize = 64;

// === impl BucketStore ===

impl BucketStore {
    /// Takes what the store has not received, of at most so many buckets; the others follow next time.
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

    /// Takes over the level that the store returned: the time until the bucket is full, to which is added what was
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

    /// Keeps for the next exchange what this one did not send. A bucket that this edge has forgotten is full.
    pub fn keep_unsettled(&self, untold: Settlement) {
        let mut shard = self.shard(untold.bucket).lock();
        if self.is_shared && shard.full_at.contains_key(&untold.bucket) {
            shard.note(untold.bucket, untold.taken);
        }
    }

    /// Requests the level of a bucket that this edge may not have from the other edges of a fleet. Where many of its
    /// shard wait already, nothing is requested: the next call tries again.
    pub(super) fn request_level(&self, asked: Settlement) {
        let mut shard = self.shard(asked.bucket).lock();
        if self.is_shared && shard.unsettled.len() < MOST_REQUESTED {
            shard.note(asked.bucket, asked.taken);
        }
    }
}
