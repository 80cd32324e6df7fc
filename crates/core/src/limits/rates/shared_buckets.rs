//! The buckets of all budgets, which outlive a change of settings.

use std::hash::BuildHasher;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use super::bucket_store::{BucketKey, BucketStore};
use super::rate_limit_fields::{BudgetStatus, Exceeded, RateLimitStatus};
use crate::keyed_hash::KeyedHash;
use crate::settings::{Rate, RateLimits, client_network};

/// The budget of a rule about the rest of the site, as clients see it.
const OF_RULE: &str = "address-surface";

/// The buckets, which outlive a change of settings. Clones share them.
#[derive(Debug, Clone)]
pub struct SharedBuckets {
    pub(super) store: Arc<BucketStore>,
    pub(super) hash: KeyedHash,
}

// === impl SharedBuckets ===

impl SharedBuckets {
    /// Makes the buckets for these limits, all of them full. Edges of a fleet have one hash, and send each other what is spent.
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

    /// Takes one request of a client address from the budget of a rule about the rest of the site. Clients whose address
    /// is not known have one budget.
    ///
    /// # Errors
    /// The budget that is used up.
    pub fn spend_by_rule(
        &self,
        rule: &str,
        rate: &Rate,
        address: Option<IpAddr>,
        now: Instant,
    ) -> Result<(), Exceeded> {
        let shared = self.hash.hash_one((OF_RULE, rule));
        let own = self.hash.hash_one((OF_RULE, rule, address.map(client_network)));
        let spent = self.store.spend(BucketKey { own, shared }, rate, now);
        spent.map(drop).map_err(|wait| {
            let mut status = RateLimitStatus::default();
            status.add(BudgetStatus {
                budget: OF_RULE,
                rate: *rate,
                left: 0,
                full_in: rate.period,
            });
            Exceeded {
                budget: OF_RULE,
                wait,
                status,
            }
        })
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
