//! The buckets of all budgets, which outlive a change of settings.

use std::hash::BuildHasher;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::bucket_store::{BucketKey, BucketStore};
use super::rate_limit_fields::{BudgetStatus, Exceeded, RateLimitStatus};
use crate::keyed_hash::KeyedHash;
use crate::settings::{Rate, client_network};

/// The budget of a rule about the rest of the site, as clients see it.
const OF_RULE: &str = "address-surface";

/// The name of budgets that all clients share, and the number of parts of one.
const OF_ALL: &str = "all-clients";
const PARTS: u32 = 4;

/// Maximum number of buckets; further clients share one.
const MOST_BUCKETS: usize = 100_000;

/// The buckets, which outlive a change of settings. Clones share them.
#[derive(Debug, Clone)]
pub struct SharedBuckets {
    /// The buckets themselves.
    pub store: Arc<BucketStore>,
    pub(super) hash: KeyedHash,
}

// === impl SharedBuckets ===

impl SharedBuckets {
    /// Makes the buckets, all of them full. Edges of a fleet have one hash, and send each other what is spent.
    pub fn new(fleet: Option<KeyedHash>) -> Self {
        let store = match fleet {
            Some(_) => BucketStore::of_fleet(MOST_BUCKETS),
            None => BucketStore::new(MOST_BUCKETS),
        };
        Self {
            store: Arc::new(store),
            hash: fleet.unwrap_or_else(KeyedHash::random),
        }
    }

    /// The same buckets, or new ones in another fleet.
    #[must_use]
    pub fn of(&self, fleet: Option<KeyedHash>) -> Self {
        let known = self.store.is_shared.then_some(self.hash);
        if known == fleet {
            return self.clone();
        }
        Self::new(fleet)
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
        spent.map(drop).map_err(|wait| exceeded(rate, wait))
    }

    /// Takes one request from a budget that all clients share, of which no client address gets more than a quarter (T-113).
    /// Clients whose address is not known are one.
    ///
    /// # Errors
    /// The budget that is used up: that of all, or the address's part of it.
    pub fn spend_in_parts(
        &self,
        rule: &str,
        rate: &Rate,
        address: Option<IpAddr>,
        now: Instant,
    ) -> Result<(), Exceeded> {
        let part = Rate {
            requests: rate.requests.div_ceil(PARTS),
            ..*rate
        };
        let all = self.hash.hash_one((OF_ALL, rule));
        let key = |own| BucketKey { own, shared: all };
        // A client that waits for all does not use up its part.
        if let Some(wait) = self.store.wait(key(all), rate, now) {
            return Err(exceeded(rate, wait));
        }
        let part_of = (OF_ALL, rule, address.map(client_network));
        let part_key = BucketKey {
            own: self.hash.hash_one(part_of),
            shared: self.hash.hash_one((OF_ALL, rule, OF_RULE)),
        };
        let spent = self.store.spend(part_key, &part, now);
        spent.map_err(|wait| exceeded(&part, wait))?;
        let spent = self.store.spend(key(all), rate, now);
        spent.map(drop).map_err(|wait| exceeded(rate, wait))
    }
}

/// A budget for the rest of the site that has nothing left for so long.
fn exceeded(rate: &Rate, wait: Duration) -> Exceeded {
    let status = BudgetStatus {
        budget: OF_RULE,
        rate: *rate,
        left: 0,
        full_in: rate.period,
    };
    Exceeded {
        budget: OF_RULE,
        wait,
        status: RateLimitStatus(vec![status]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate {
        requests: 40,
        period: Duration::from_secs(40),
    };

    fn passed(buckets: &SharedBuckets, address: &str, times: usize, now: Instant) -> usize {
        let address = Some(address.parse().unwrap());
        let spend = |_: &usize| buckets.spend_in_parts("r", &RATE, address, now).is_ok();
        (0..times).filter(spend).count()
    }

    #[test]
    fn t113_no_client_gets_more_than_its_part_of_a_common_budget() {
        let buckets = SharedBuckets::new(None);
        let now = Instant::now();
        assert_eq!(passed(&buckets, "192.0.2.1", 100, now), 10);
        assert_eq!(passed(&buckets, "2001:db8::1", 100, now), 10);
        assert_eq!(
            passed(&buckets, "2001:db8::ffff:2", 100, now),
            0,
            "one /64 is one client"
        );
        assert_eq!(passed(&buckets, "192.0.2.3", 100, now), 10);
        assert_eq!(passed(&buckets, "192.0.2.4", 7, now), 7);
        assert_eq!(
            passed(&buckets, "192.0.2.5", 100, now),
            3,
            "all parts together are the budget"
        );
        // A client that was refused for all others has its part still.
        let later = now + Duration::from_secs(9);
        assert_eq!(passed(&buckets, "192.0.2.5", 100, later), 9);
        let exceeded = buckets.spend_in_parts("r", &RATE, None, later).unwrap_err();
        assert!(exceeded.wait <= Duration::from_secs(1), "{:?}", exceeded.wait);
    }

    #[test]
    fn a_small_budget_has_a_part_for_each() {
        let buckets = SharedBuckets::new(None);
        let one = Rate { requests: 1, ..RATE };
        let now = Instant::now();
        assert!(buckets.spend_in_parts("r", &one, None, now).is_ok());
        assert!(buckets.spend_in_parts("r", &one, None, now).is_err());
    }
}
