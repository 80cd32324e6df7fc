//! The buckets of all budgets, which outlive a change of settings.

use std::sync::Arc;

use super::bucket_store::BucketStore;
use crate::keyed_hash::KeyedHash;
use crate::settings::RateLimits;

/// The buckets, which outlive a change of settings. Clones share them.
#[derive(Debug, Clone)]
pub struct SharedBuckets {
    pub(super) store: Arc<BucketStore>,
    pub(super) hash: KeyedHash,
}

// === impl SharedBuckets ===

impl SharedBuckets {
    /// Makes the buckets for these limits, all of them full. Edges of a fleet have one hash, and tell what is spent.
    pub fn new(limits: &RateLimits, fleet: Option<KeyedHash>) -> Self {
        let store = match fleet {
            Some(_) => BucketStore::of_fleet(limits.max_buckets),
            None => BucketStore::new(limits.max_buckets),
        };
        Self {
            store: Arc::new(store),
            hash: fleet.unwrap_or_else(KeyedHash::random),
        }
    }

    /// The same buckets, or new ones in another fleet.
    #[must_use]
    pub fn of(&self, limits: &RateLimits, fleet: Option<KeyedHash>) -> Self {
        let known = self.store.is_shared().then_some(self.hash);
        if known == fleet {
            return self.clone();
        }
        Self::new(limits, fleet)
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
