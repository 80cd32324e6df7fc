//! The budgets of each client: by address and by credentials, separate for lists, items and writes.

use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::bucket_store::{BucketKey, BucketStore};
use super::client::{Client, CostClass};
use super::fields::{BudgetStatus, RateLimitStatus};
use crate::settings::{CallRates, Rate, RateLimits};

/// The budgets of an edge.
#[derive(Debug)]
pub struct Budgets {
    limits: RateLimits,
    buckets: SharedBuckets,
}

/// The buckets, which survive a change of settings. Clones share them.
#[derive(Debug, Clone)]
pub struct SharedBuckets {
    store: Arc<BucketStore>,
    /// The hash key is new at each start. A client cannot choose credentials that share a bucket with another
    /// client's, and a memory dump does not reveal credentials.
    hasher: RandomState,
}

/// A budget that is exhausted.
#[derive(Debug, PartialEq, Eq)]
pub struct Exceeded {
    /// Its name, from a closed set.
    pub budget: &'static str,
    /// The time until the budget has a call again.
    pub wait: Duration,
    /// The remaining calls of the client.
    pub status: RateLimitStatus,
}

/// A budget of one client.
struct Budget<'a> {
    name: &'static str,
    rate: &'a Rate,
    key: BucketKey,
}

// === impl Budgets ===

impl Budgets {
    /// The rules of these limits over buckets that survive them.
    pub fn new(limits: &RateLimits, buckets: &SharedBuckets) -> Self {
        Self {
            limits: limits.clone(),
            buckets: buckets.clone(),
        }
    }

    /// Takes one call from the client's budgets. The address's budget comes first, so that random credentials
    /// cannot fill the table once it is exhausted.
    ///
    /// # Errors
    /// The first budget that is exhausted.
    pub fn spend(
        &self,
        client: Client<'_>,
        call: CostClass,
        now: Instant,
    ) -> Result<RateLimitStatus, Exceeded> {
        let mut status = RateLimitStatus::default();
        if self.limits.failed_logins.is_some() && client.identity().proof().is_some() {
            self.check_logins(client, now)?;
        }
        for budget in [self.by_address(client, call), self.by_credentials(client, call)] {
            let Some(budget) = budget else { continue };
            let spent = self.buckets.store.spend(budget.key, budget.rate, now);
            let (left, full_in) = spent
                .as_ref()
                .map_or((0, budget.rate.period), |level| (level.left, level.full_at - now));
            status.add(BudgetStatus {
                budget: budget.name,
                rate: *budget.rate,
                left,
                full_in,
            });
            if let Err(wait) = spent {
                return Err(Exceeded {
                    budget: budget.name,
                    wait,
                    status,
                });
            }
        }
        Ok(status)
    }

    /// Records that the site rejected the credentials of a client.
    pub fn login_failed(&self, client: Client<'_>, now: Instant) {
        for budget in self.logins(client) {
            // The error is ignored: a failure beyond the budget belongs to a call that was admitted before
            // the budget was exhausted.
            let _ = self.buckets.store.spend(budget.key, budget.rate, now);
        }
    }

    fn check_logins(&self, client: Client<'_>, now: Instant) -> Result<(), Exceeded> {
        let waits = self.logins(client).filter_map(|budget| {
            let wait = self.buckets.store.wait(budget.key, budget.rate, now)?;
            Some((wait, budget.name))
        });
        match waits.max() {
            None => Ok(()),
            Some((wait, budget)) => Err(Exceeded {
                budget,
                wait,
                status: RateLimitStatus::default(),
            }),
        }
    }

    fn by_address(&self, client: Client<'_>, call: CostClass) -> Option<Budget<'_>> {
        let (rate, name) = match call {
            CostClass::List => (self.limits.address.lists.as_ref(), "address-lists"),
            CostClass::Item => (self.limits.address.items.as_ref(), "address-items"),
            CostClass::Write => (self.limits.address.writes.as_ref(), "address-writes"),
        };
        Some(self.budget(rate?, name, client.network()?))
    }

    fn by_credentials(&self, client: Client<'_>, call: CostClass) -> Option<Budget<'_>> {
        let CallRates { lists, items, writes } = &self.limits.credentials;
        let (rate, name) = match call {
            CostClass::List => (lists, "credentials-lists"),
            CostClass::Item => (items, "credentials-items"),
            CostClass::Write => (writes, "credentials-writes"),
        };
        Some(self.budget(rate.as_ref()?, name, client.identity().proof()?))
    }

    fn logins(&self, client: Client<'_>) -> impl Iterator<Item = Budget<'_>> {
        let rate = self.limits.failed_logins.as_ref();
        let network = client.network();
        let by_address = network.and_then(|network| Some(self.budget(rate?, "address-logins", network)));
        let account = client.identity().account();
        let by_account = account.and_then(|name| Some(self.budget(rate?, "account-logins", name)));
        by_address.into_iter().chain(by_account)
    }

    fn budget<'a>(&'a self, rate: &'a Rate, name: &'static str, who: impl Hash) -> Budget<'a> {
        let hasher = &self.buckets.hasher;
        let key = BucketKey {
            own: hasher.hash_one((name, who)),
            shared: hasher.hash_one((name, ())),
        };
        Budget { name, rate, key }
    }
}

// === impl SharedBuckets ===

impl SharedBuckets {
    /// Creates the buckets for these limits, all of them full.
    pub fn new(limits: &RateLimits) -> Self {
        Self {
            store: Arc::new(BucketStore::new(limits.max_buckets)),
            hasher: RandomState::new(),
        }
    }

    /// Applies new limits; calls that were spent stay spent.
    pub fn adapt(&self, limits: &RateLimits) {
        self.store.resize(limits.max_buckets);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::credentials::{Credentials, Identity};
    use crate::settings::Profile;
    use http::header::AUTHORIZATION;
    use http::{HeaderMap, HeaderValue};

    fn rate(requests: u32) -> Rate {
        Rate {
            requests,
            period: Duration::from_mins(1),
        }
    }

    fn identity(authorization: Option<&'static str>) -> Identity {
        let value = authorization.map(|value| (AUTHORIZATION, HeaderValue::from_static(value)));
        let headers: HeaderMap = value.into_iter().collect();
        let credentials = Credentials::read(&headers, Profile::Compatible, &[]).unwrap();
        credentials.identity().clone()
    }

    fn budgets(change: impl FnOnce(&mut RateLimits)) -> Budgets {
        let mut limits = RateLimits::default();
        change(&mut limits);
        Budgets::new(&limits, &SharedBuckets::new(&limits))
    }

    #[test]
    fn nothing_is_limited_by_default() {
        let budgets = budgets(|_| {});
        let identity = identity(Some("Basic YTpi"));
        let client = Client::new(Some("192.0.2.1".parse().unwrap()), &identity);
        for _ in 0..1000 {
            let status = budgets.spend(client, CostClass::Write, Instant::now());
            assert_eq!(status, Ok(RateLimitStatus::default()));
            budgets.login_failed(client, Instant::now());
        }
    }

    #[test]
    fn lists_items_and_writes_have_separate_budgets() {
        let budgets = budgets(|limits| {
            limits.address.lists = Some(rate(1));
            limits.address.writes = Some(rate(1));
        });
        let identity = identity(None);
        let now = Instant::now();
        let spend = |address: &str, call| {
            let client = Client::new(Some(address.parse().unwrap()), &identity);
            let spent = budgets.spend(client, call, now);
            spent.map(drop).map_err(|exceeded| exceeded.budget)
        };
        for (address, call, expected) in [
            ("192.0.2.1", CostClass::List, Ok(())),
            ("192.0.2.1", CostClass::List, Err("address-lists")),
            ("192.0.2.2", CostClass::List, Ok(())),
            ("192.0.2.1", CostClass::Write, Ok(())),
            ("192.0.2.1", CostClass::Write, Err("address-writes")),
            ("192.0.2.1", CostClass::Item, Ok(())),
            ("2001:db8::1", CostClass::List, Ok(())),
            ("2001:db8::2", CostClass::List, Err("address-lists")),
        ] {
            assert_eq!(spend(address, call), expected, "{address} {call:?}");
        }
    }

    #[test]
    fn a_client_with_only_a_name_does_not_spend_for_its_owner() {
        let budgets = budgets(|limits| limits.credentials.items = Some(rate(1)));
        let now = Instant::now();
        let spend = |value| {
            let identity = identity(value);
            budgets
                .spend(Client::new(None, &identity), CostClass::Item, now)
                .is_ok()
        };
        assert!(spend(Some("Basic YTpi")));
        assert!(!spend(Some("Basic YTpi")));
        assert!(spend(Some("Basic YTpj")));
        assert!(spend(None) && spend(None));
    }

    #[test]
    fn failed_logins_limit_an_address_and_an_account() {
        let budgets = budgets(|limits| limits.failed_logins = Some(rate(1)));
        let now = Instant::now();
        let (alice, bob, nobody) = (
            identity(Some("Basic YWxpY2U6eA==")),
            identity(Some("Basic Ym9iOng=")),
            identity(None),
        );
        let [first, second] = ["192.0.2.1", "192.0.2.2"].map(|address| Some(address.parse().unwrap()));
        let failed = |address, identity| budgets.login_failed(Client::new(address, identity), now);
        let stopped = |address, identity| {
            let spent = budgets.spend(Client::new(address, identity), CostClass::Item, now);
            spent.err().map(|exceeded| exceeded.budget)
        };
        assert_eq!(stopped(first, &alice), None);

        failed(first, &alice);

        assert_eq!(stopped(first, &bob), Some("address-logins"));
        assert_eq!(stopped(second, &alice), Some("account-logins"));
        assert_eq!(stopped(second, &bob), None);
        assert_eq!(stopped(first, &nobody), None);
        let client = Client::new(first, &alice);
        assert!(
            budgets
                .spend(client, CostClass::Item, now + Duration::from_mins(1))
                .is_ok()
        );
    }

    #[test]
    fn spent_calls_stay_spent_under_new_limits() {
        let old = budgets(|limits| limits.address.items = Some(rate(1)));
        let identity = identity(None);
        let client = Client::new(Some("192.0.2.1".parse().unwrap()), &identity);
        let now = Instant::now();
        assert!(old.spend(client, CostClass::Item, now).is_ok());
        old.buckets.adapt(&old.limits);
        let renewed = Budgets::new(&old.limits, &old.buckets);
        assert!(renewed.spend(client, CostClass::Item, now).is_err());
    }
}
