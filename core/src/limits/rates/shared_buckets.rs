//! The buckets of all budgets, which outlive a change of settings.

use std::sync::Arc;

use super::bucket_store::BucketStore;
use super::keyed_hash::KeyedHash;
use crate::settings::RateLimits;

/// The buckets, which outlive a change of settings. Clones share them.
#[derive(Debug, Clone)]
pub struct SharedBuckets {
    pub(super) store: Arc<BucketStore>,
    pub(super) hash: KeyedHash,
}

// === impl SharedBuckets ===

impl SharedBuckets {
    /// Makes the buckets for these limits, all of them full.
    pub fn new(limits: &RateLimits) -> Self {
        Self {
            store: Arc::new(BucketStore::new(limits.max_buckets)),
            hash: KeyedHash::random(),
        }
    }

    /// The same for an edge that tells others what is spent. All of them have this secret key, by which buckets are known.
    pub fn of_fleet(limits: &RateLimits, key: [u8; 16]) -> Self {
        Self {
            store: Arc::new(BucketStore::of_fleet(limits.max_buckets)),
            hash: KeyedHash::with_key(key),
        }
    }

    /// The buckets themselves.
    pub fn store(&self) -> &BucketStore {
        &self.store
    }

    /// Follows new limits; what was spent stays spent.
    pub fn adapt(&self, limits: &RateLimits) {
        self.store.resize(limits.max_buckets);
    }
}
