//! The budgets of each client: by address and by credentials, separate for lists, items and writes.

use std::hash::{BuildHasher, Hash};
use std::time::Instant;

use super::bucket_store::BucketKey;
use super::charges::Charges;
use super::client::{Client, CostClass};
use super::rate_limit_fields::{BudgetStatus, Exceeded, RateLimitStatus};
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
    ACCOUNT_LOGINS,
];

/// The budget of failed logins of an account.
pub(super) const ACCOUNT_LOGINS: &str = "account-logins";

/// The budgets of an edge.
#[derive(Debug)]
pub struct Budgets {
    /// The rates.
    pub limits: RateLimits,
    /// The buckets that it charges.
    pub buckets: SharedBuckets,
}

/// A budget of one client.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    pub(super) name: &'static str,
    pub(super) rate: Rate,
    pub(super) key: BucketKey,
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

    /// Takes one call from the client's budgets, the address's first: credentials that are made up for each call then
    /// cost no room once that one is used up. A login counts as failed until [`Self::return_charges`], so that guesses
    /// at the same time are counted before any of them has a response.
    ///
    /// # Errors
    /// The budget that is used up.
    pub fn spend(&self, client: Client<'_>, call: CostClass, now: Instant) -> Result<Charges, Exceeded> {
        // Most calls are anonymous: the rest would cost them more than their budgets do.
        if client.identity.principals.is_empty() {
            let status = self.spend_again(client, call, now)?;
            return Ok(Charges {
                status,
                ..Charges::default()
            });
        }
        let of_logins = self.logins(client, now);
        self.check_logins(&of_logins, now)?;
        let status = self.spend_again(client, call, now)?;
        let logins = self.charge_logins(&of_logins, now)?;
        Ok(Charges {
            status,
            known_by: self.known_by(client),
            logins,
            is_at_store: false,
        })
    }

    /// Takes one more call for a request that has logged in already, such as for a further page of a calendar (T-103).
    ///
    /// # Errors
    /// The budget that is used up.
    pub fn spend_again(
        &self,
        client: Client<'_>,
        call: CostClass,
        now: Instant,
    ) -> Result<RateLimitStatus, Exceeded> {
        let mut status = RateLimitStatus::default();
        let by_address: Vec<Budget> = self.by_address(client, call).into_iter().collect();
        for budgets in [by_address, self.by_principals(client, call)] {
            self.charge(&budgets, &mut status, now)?;
        }
        Ok(status)
    }

    /// Charges budgets of one kind; the client learns of the one with the least left.
    fn charge(&self, budgets: &[Budget], status: &mut RateLimitStatus, now: Instant) -> Result<(), Exceeded> {
        let mut tightest: Option<BudgetStatus> = None;
        for budget in budgets {
            let standing = |left, full_in| BudgetStatus {
                budget: budget.name,
                rate: budget.rate,
                left,
                full_in,
            };
            match self.buckets.store.spend(budget.key, &budget.rate, now) {
                Ok(level) if tightest.as_ref().is_none_or(|known| level.left < known.left) => {
                    tightest = Some(standing(level.left, level.full_at - now));
                }
                Ok(_) => {}
                Err(wait) => {
                    status.0.push(standing(0, budget.rate.period));
                    return Err(Exceeded {
                        budget: budget.name,
                        wait,
                        status: status.clone(),
                    });
                }
            }
        }
        if let Some(standing) = tightest {
            status.0.push(standing);
        }
        Ok(())
    }

    fn by_address(&self, client: Client<'_>, call: CostClass) -> Option<Budget> {
        let (rate, name) = match call {
            CostClass::List => (self.limits.address.lists.as_ref(), "address-lists"),
            CostClass::Item => (self.limits.address.items.as_ref(), "address-items"),
            CostClass::Write => (self.limits.address.writes.as_ref(), "address-writes"),
        };
        Some(self.budget(*rate?, name, client.network()?))
    }

    fn by_principals(&self, client: Client<'_>, call: CostClass) -> Vec<Budget> {
        let CallRates { lists, items, writes } = &self.limits.credentials;
        let (rate, name) = match call {
            CostClass::List => (lists, "credentials-lists"),
            CostClass::Item => (items, "credentials-items"),
            CostClass::Write => (writes, "credentials-writes"),
        };
        let Some(rate) = rate else { return Vec::new() };
        let budget = |principal: &Principal| match principal {
            Principal::Account(_) | Principal::UnusualAccount | Principal::AnyAccount => {
                self.budget(*rate, name, principal)
            }
            Principal::Token(_) => self.budget(*rate, name, (principal, client.network())),
        };
        client.identity.principals.iter().map(budget).collect()
    }

    pub(super) fn budget(&self, rate: Rate, name: &'static str, who: impl Hash) -> Budget {
        let key = BucketKey {
            own: self.buckets.hash.hash_one((name, who)),
            shared: BUDGETS
                .iter()
                .zip(0..)
                .find(|(known, _)| **known == name)
                .map_or(0, |(_, index)| index),
        };
        Budget { name, rate, key }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample_tests::{budgets, identity, rate};
    use super::*;

    #[test]
    fn nothing_is_limited_by_default() {
        let budgets = budgets(|_| {});
        let identity = identity(Some("Basic YTpi"));
        let client = Client::new(Some("192.0.2.1".parse().unwrap()), &identity);
        for _ in 0..1000 {
            let charged = budgets.spend(client, CostClass::Write, Instant::now()).unwrap();
            assert_eq!(charged.status, RateLimitStatus::default());
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
    fn spent_calls_stay_spent_under_new_limits() {
        let old = budgets(|limits| limits.address.items = Some(rate(1)));
        let identity = identity(None);
        let client = Client::new(Some("192.0.2.1".parse().unwrap()), &identity);
        let now = Instant::now();
        assert!(old.spend(client, CostClass::Item, now).is_ok());
        let renewed = Budgets::new(&old.limits, &old.buckets);
        assert!(renewed.spend(client, CostClass::Item, now).is_err());
    }
}
