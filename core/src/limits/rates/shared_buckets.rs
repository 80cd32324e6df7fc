//! The buckets of all budgets, which outlive a change of settings.

use std::hash::RandomState;
use std::sync::Arc;

use super::bucket_store::BucketStore;
use crate::settings::RateLimits;

/// The buckets, which outlive a change of settings. Clones share them.
#[derive(Debug, Clone)]
pub struct SharedBuckets {
    pub(super) store: Arc<BucketStore>,
    /// Keyed anew at each start: nobody can choose credentials that share a bucket with another's, and nobody
    /// can find credentials in a dump.
    pub(super) hasher: RandomState,
}

// === impl SharedBuckets ===

impl SharedBuckets {
    /// Makes the buckets for these limits, all of them full.
    pub fn new(limits: &RateLimits) -> Self {
        Self {
            store: Arc::new(BucketStore::new(limits.max_buckets)),
            hasher: RandomState::new(),
        }
    }

    /// Follows new limits; what was spent stays spent.
    pub fn adapt(&self, limits: &RateLimits) {
        self.store.resize(limits.max_buckets);
    }
}
