//! The budgets of each client: by address and by credentials, separate for lists, items and writes.

use std::hash::{BuildHasher, Hash};
use std::time::{Duration, Instant};

use super::bucket_store::{BucketKey, Charge};
use super::charges::Charges;
use super::client::{Client, CostClass};
use super::rate_limit_fields::{BudgetStatus, RateLimitStatus};
use super::shared_buckets::SharedBuckets;
use crate::settings::{CallRates, Rate, RateLimits};
use calendar_edge_judge::call::credentials::Principal;

/// The names of all budgets.
pub const BUDGETS: [&str; 8] = [
    "address-lists",
    "address-items",
    "address-writes",
    "credentials-lists",
    "credentials-items",
    "credentials-writes",
    "address-logins",
    "account-logins",
];

/// The budgets of an edge.
#[derive(Debug)]
pub struct Budgets {
    limits: RateLimits,
    buckets: SharedBuckets,
}

/// A budget that is used up.
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

    /// True if no rate limit is set: no call costs anything.
    pub fn are_unset(&self) -> bool {
        self.limits.are_unset()
    }

    /// Takes one call from the client's budgets, the address's first: credentials that are made up for each call
    /// then cost no room once that one is used up. A login counts as failed until [`Self::return_charges`], so that guesses at
    /// the same time are counted before any of them is answered.
    ///
    /// # Errors
    /// The budget that is used up.
    pub fn spend(&self, client: Client<'_>, call: CostClass, now: Instant) -> Result<Charges, Exceeded> {
        self.check_logins(client, now)?;
        let mut status = RateLimitStatus::default();
        let by_address: Vec<Budget<'_>> = self.by_address(client, call).into_iter().collect();
        for budgets in [by_address, self.by_principals(client, call)] {
            self.charge(&budgets, &mut status, now)?;
        }
        let logins = self.charge_logins(client, now)?;
        Ok(Charges { status, logins })
    }

    /// Gives back what a failed login costs, once the response shows that the login was not refused.
    pub fn return_charges(&self, charged: Charges, now: Instant) {
        self.give_back(charged.logins, now);
    }

    fn give_back(&self, charges: Vec<Charge>, now: Instant) {
        for charge in charges {
            self.buckets.store.return_charges(charge, now);
        }
    }

    /// Charges budgets of one kind; the client learns of the one with the least left.
    fn charge(
        &self,
        budgets: &[Budget<'_>],
        status: &mut RateLimitStatus,
        now: Instant,
    ) -> Result<(), Exceeded> {
        let mut tightest: Option<BudgetStatus> = None;
        for budget in budgets {
            let standing = |left, full_in| BudgetStatus {
                budget: budget.name,
                rate: *budget.rate,
                left,
                full_in,
            };
            match self.buckets.store.spend(budget.key, budget.rate, now) {
                Ok(level) if tightest.as_ref().is_none_or(|known| level.left < known.left) => {
                    tightest = Some(standing(level.left, level.full_at - now));
                }
                Ok(_) => {}
                Err(wait) => {
                    status.add(standing(0, budget.rate.period));
                    return Err(Exceeded {
                        budget: budget.name,
                        wait,
                        status: status.clone(),
                    });
                }
            }
        }
        if let Some(standing) = tightest {
            status.add(standing);
        }
        Ok(())
    }

    /// Charges a failed login, all or nothing.
    fn charge_logins(&self, client: Client<'_>, now: Instant) -> Result<Vec<Charge>, Exceeded> {
        let mut charges = Vec::new();
        for budget in self.logins(client) {
            match self.buckets.store.charge(budget.key, budget.rate, now) {
                Ok(charge) => charges.push(charge),
                Err(wait) => {
                    self.give_back(charges, now);
                    return Err(login_exceeded(budget.name, wait));
                }
            }
        }
        Ok(charges)
    }

    fn check_logins(&self, client: Client<'_>, now: Instant) -> Result<(), Exceeded> {
        let waits = self.logins(client).into_iter().filter_map(|budget| {
            let wait = self.buckets.store.wait(budget.key, budget.rate, now)?;
            Some((wait, budget.name))
        });
        waits
            .max()
            .map_or(Ok(()), |(wait, budget)| Err(login_exceeded(budget, wait)))
    }

    fn by_address(&self, client: Client<'_>, call: CostClass) -> Option<Budget<'_>> {
        let (rate, name) = match call {
            CostClass::List => (self.limits.address.lists.as_ref(), "address-lists"),
            CostClass::Item => (self.limits.address.items.as_ref(), "address-items"),
            CostClass::Write => (self.limits.address.writes.as_ref(), "address-writes"),
        };
        Some(self.budget(rate?, name, client.network()?))
    }

    fn by_principals(&self, client: Client<'_>, call: CostClass) -> Vec<Budget<'_>> {
        let CallRates { lists, items, writes } = &self.limits.credentials;
        let (rate, name) = match call {
            CostClass::List => (lists, "credentials-lists"),
            CostClass::Item => (items, "credentials-items"),
            CostClass::Write => (writes, "credentials-writes"),
        };
        let Some(rate) = rate else { return Vec::new() };
        let budget = |principal: &Principal| match principal {
            Principal::Account(_) | Principal::UnusualAccount => self.budget(rate, name, principal),
            Principal::Token(_) => self.budget(rate, name, (principal, client.network())),
        };
        client.identity().principals().iter().map(budget).collect()
    }

    /// The budgets that a failed login of this client is charged to; none for a client without credentials.
    fn logins(&self, client: Client<'_>) -> Vec<Budget<'_>> {
        let principals = client.identity().principals();
        let Some(rate) = self
            .limits
            .failed_logins
            .as_ref()
            .filter(|_| !principals.is_empty())
        else {
            return Vec::new();
        };
        let network = client.network();
        let by_address = network.map(|network| self.budget(rate, "address-logins", network));
        let accounts = principals
            .iter()
            .filter(|principal| !matches!(principal, Principal::Token(_)));
        let by_account = accounts.map(|account| self.budget(rate, "account-logins", account));
        by_address.into_iter().chain(by_account).collect()
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

fn login_exceeded(budget: &'static str, wait: Duration) -> Exceeded {
    Exceeded {
        budget,
        wait,
        status: RateLimitStatus::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Profile;
    use calendar_edge_judge::call::credentials::{Credentials, Identity};
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
            let charged = budgets.spend(client, CostClass::Write, Instant::now()).unwrap();
            assert_eq!(charged.status(), &RateLimitStatus::default());
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
    fn credentials_are_counted_by_account_and_tokens_by_address() {
        let budgets = budgets(|limits| limits.credentials.items = Some(rate(1)));
        let now = Instant::now();
        let spend = |address: &str, value| {
            let identity = identity(value);
            let client = Client::new(Some(address.parse().unwrap()), &identity);
            budgets.spend(client, CostClass::Item, now).is_ok()
        };
        for (address, value, expected) in [
            ("192.0.2.1", Some("Basic YTpi"), true),
            ("192.0.2.1", Some("Basic YTpi"), false),
            ("192.0.2.1", Some("Basic YTpj"), false),
            ("192.0.2.2", Some("Basic QTpi"), false),
            ("192.0.2.1", Some("Basic Yjpi"), true),
            ("192.0.2.1", Some("Bearer x"), true),
            ("192.0.2.1", Some("Bearer x"), false),
            ("192.0.2.2", Some("Bearer x"), true),
            ("192.0.2.1", Some("Bearer y"), true),
            ("192.0.2.1", None, true),
            ("192.0.2.1", None, true),
        ] {
            assert_eq!(spend(address, value), expected, "{address} {value:?}");
        }
    }

    #[test]
    fn guesses_at_the_same_time_are_counted() {
        let budgets = budgets(|limits| limits.failed_logins = Some(rate(3)));
        let now = Instant::now();
        let guesses =
            ["Basic YTpi", "Basic YTpj", "Basic YTpk", "Basic YTpl"].map(|value| identity(Some(value)));
        let spend = |identity| budgets.spend(Client::new(None, identity), CostClass::Item, now);
        let charged: Vec<_> = guesses.iter().filter_map(|guess| spend(guess).ok()).collect();
        assert_eq!(charged.len(), 3);
        for charged in charged {
            budgets.return_charges(charged, now);
        }
        assert!(guesses.iter().take(3).all(|guess| spend(guess).is_ok()));
        assert!(spend(&guesses[3]).is_err());
    }

    #[test]
    fn a_refused_guess_costs_nothing_elsewhere() {
        let budgets = budgets(|limits| limits.failed_logins = Some(rate(1)));
        let now = Instant::now();
        let (alice, bob) = (
            identity(Some("Basic YWxpY2U6eA==")),
            identity(Some("Basic Ym9iOng=")),
        );
        let [first, second] = ["192.0.2.1", "192.0.2.2"].map(|address| Some(address.parse().unwrap()));
        let passes = |address, identity| {
            budgets
                .spend(Client::new(address, identity), CostClass::Item, now)
                .is_ok()
        };
        assert!(passes(first, &alice) && !passes(second, &alice));
        assert!(passes(second, &bob));
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
        let failed = |address, identity| {
            let spent = budgets.spend(Client::new(address, identity), CostClass::Item, now);
            assert!(spent.is_ok());
        };
        let stopped = |address, identity| {
            let spent = budgets.spend(Client::new(address, identity), CostClass::Item, now);
            match spent {
                Ok(charged) => {
                    budgets.return_charges(charged, now);
                    None
                }
                Err(exceeded) => Some(exceeded.budget),
            }
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
