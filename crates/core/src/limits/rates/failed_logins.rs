//! The budgets of failed logins: charged before the site checks a password, and given back if it was right.
//!
//! In a fleet the store charges them as well, so that all edges together hold the rate. Where it does not respond, each
//! edge takes its part of the rate.

use std::time::{Duration, Instant};

use super::budgets::{ACCOUNT_LOGINS, Budget, Budgets};
use super::charges::{Charge, Charges};
use super::client::Client;
use super::gcra;
use super::rate_limit_fields::{Exceeded, RateLimitStatus};
use super::taken::{Settlement, Taken};
use crate::settings::Rate;
use calendar_edge_judge::call::credentials::Principal;

// === impl Charges ===

impl Charges {
    /// The buckets that the store of a fleet charges for a failed login; none for a call without credentials.
    pub fn logins(&self) -> Vec<Settlement> {
        let asked = self.logins.iter().map(|(budget, _)| Settlement {
            bucket: budget.key.own,
            taken: Taken::of(&budget.rate),
        });
        asked.collect()
    }
}

// === impl Budgets ===

impl Budgets {
    /// Charges a login beside the calendar, which counts as failed until [`Self::return_charges`].
    ///
    /// # Errors
    /// The budget that is used up.
    pub fn spend_login(&self, client: Client<'_>, now: Instant) -> Result<Charges, Exceeded> {
        let budgets = self.logins(client, now);
        self.check_logins(&budgets, now)?;
        let logins = self.charge_logins(&budgets, now)?;
        Ok(Charges {
            logins,
            known_by: self.known_by(client),
            ..Charges::default()
        })
    }

    /// Returns true if failed logins are counted.
    pub const fn count_logins(&self) -> bool {
        self.limits.failed_logins.is_some()
    }

    /// Gives back what a failed login costs, once the response shows that the login was not refused. Returns what the
    /// store of a fleet is to give back.
    pub fn return_charges(&self, charged: Charges, now: Instant) -> Vec<Settlement> {
        if charged.logins.is_empty() {
            return Vec::new();
        }
        let asked = charged.logins();
        let Charges {
            logins, is_at_store, ..
        } = charged;
        self.give_back(&logins, now);
        let back = asked
            .into_iter()
            .zip(&logins)
            .map(|(asked, (_, charge))| Settlement {
                taken: asked.taken.given_back(charge.outstanding(now)),
                ..asked
            });
        back.filter(|_| is_at_store).collect()
    }

    /// Takes over the levels of [`Charges::logins`] from a store that has charged them.
    pub fn accept_logins(&self, charged: &mut Charges, levels: &[Duration], now: Instant) {
        self.adopt_logins(charged, levels, now);
        for ((_, charge), level) in charged.logins.iter_mut().zip(levels) {
            charge.full_at = now + *level;
        }
        charged.is_at_store = true;
    }

    /// The budget that is used up by the levels of a store that has refused [`Charges::logins`].
    pub fn refuse_logins(&self, charged: &Charges, levels: &[Duration], now: Instant) -> Exceeded {
        self.give_back(&charged.logins, now);
        self.adopt_logins(charged, levels, now);
        let waits = charged.logins.iter().zip(levels).map(|((budget, _), level)| {
            let wait = gcra::spend(&budget.rate, Some(now + *level), now).err();
            (wait.unwrap_or_default(), budget.name)
        });
        let (wait, budget) = waits.max().unwrap_or_default();
        login_exceeded(budget, wait)
    }

    /// Charges the part of one among so many edges, where the store does not respond.
    ///
    /// # Errors
    /// The budget of which this edge has used up its part. Nothing is charged then.
    pub fn divide_logins(&self, charged: &mut Charges, edges: u32, now: Instant) -> Result<(), Exceeded> {
        let whole = std::mem::take(&mut charged.logins);
        self.give_back(&whole, now);
        for (budget, _) in whole {
            let rate = part(&budget.rate, edges);
            let noted = Some(Taken::of(&budget.rate));
            match self.buckets.store.charge(budget.key, &rate, noted, now) {
                Ok(charge) => charged.logins.push((budget, charge)),
                Err(wait) => {
                    self.give_back(&charged.logins, now);
                    return Err(login_exceeded(budget.name, wait));
                }
            }
        }
        Ok(())
    }

    /// Charges a failed login to these budgets, all or nothing.
    pub(super) fn charge_logins(
        &self,
        budgets: &[Budget],
        now: Instant,
    ) -> Result<Vec<(Budget, Charge)>, Exceeded> {
        let mut charges = Vec::new();
        for budget in budgets {
            match self.buckets.store.charge(budget.key, &budget.rate, None, now) {
                Ok(charge) => charges.push((*budget, charge)),
                Err(wait) => {
                    self.give_back(&charges, now);
                    return Err(login_exceeded(budget.name, wait));
                }
            }
        }
        Ok(charges)
    }

    /// Refuses a client one of whose budgets has no login. Other edges may have given some back: the next exchange
    /// reads the store.
    pub(super) fn check_logins(&self, budgets: &[Budget], now: Instant) -> Result<(), Exceeded> {
        let waits = budgets.iter().filter_map(|budget| {
            let wait = self.buckets.store.wait(budget.key, &budget.rate, now)?;
            self.buckets.store.keep_unsettled(Settlement {
                bucket: budget.key.own,
                taken: Taken::nothing(&budget.rate),
            });
            Some((wait, budget.name))
        });
        waits
            .max()
            .map_or(Ok(()), |(wait, budget)| Err(login_exceeded(budget, wait)))
    }

    fn adopt_logins(&self, charged: &Charges, levels: &[Duration], now: Instant) {
        for (settled, level) in charged.logins().into_iter().zip(levels) {
            self.buckets.store.adopt(settled, *level, now);
        }
    }

    fn give_back(&self, charges: &[(Budget, Charge)], now: Instant) {
        for (_, charge) in charges {
            self.buckets.store.return_charge(charge, now);
        }
    }

    /// The budgets that a failed login of this client is charged to; none for a client without credentials. A login that
    /// is known is not charged to its account.
    pub(super) fn logins(&self, client: Client<'_>, now: Instant) -> Vec<Budget> {
        let has_none = client.identity.principals.is_empty();
        let Some(rate) = self.limits.failed_logins.filter(|_| !has_none) else {
            return Vec::new();
        };
        let network = client.network();
        let by_address = network.map(|network| self.budget(rate, "address-logins", network));
        let is_one = client.identity.sole_account().is_some();
        let mut is_owner = false;
        let accounts = client.accounts().filter(|account| {
            // The recognition of an unusual name holds for all that it counts with.
            let is_known = is_owner || self.is_known(client, account, now);
            is_owner = is_one && is_known;
            !is_known
        });
        let by_account = accounts.map(|account| {
            let rate = match account {
                Principal::AnyAccount => of_all_addresses(rate),
                _ => rate,
            };
            self.budget(rate, ACCOUNT_LOGINS, account)
        });
        by_address.into_iter().chain(by_account).collect()
    }
}

/// The part of one among so many edges, rounded up: all of them together exceed the rate by less than their number.
fn part(rate: &Rate, edges: u32) -> Rate {
    Rate {
        requests: rate.requests.div_ceil(edges.max(1)),
        ..*rate
    }
}

/// The rate of tries that may be of any account: so many addresses use it up, and no single one (T-112, T-113).
const fn of_all_addresses(rate: Rate) -> Rate {
    Rate {
        requests: rate.requests.saturating_mul(10),
        ..rate
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
    use super::super::client::CostClass;
    use super::super::sample_tests::{budgets, identity, rate};
    use super::super::shared_buckets::SharedBuckets;
    use super::*;
    use crate::keyed_hash::KeyedHash;
    use crate::settings::RateLimits;

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

    /// The budgets of one edge of a fleet, with three failed logins a minute.
    fn of_fleet() -> Budgets {
        let limits = RateLimits {
            failed_logins: Some(rate(3)),
            ..RateLimits::default()
        };
        Budgets::new(&limits, &SharedBuckets::new(Some(KeyedHash::new([7; 16]))))
    }

    #[test]
    fn a_store_that_refuses_is_believed_until_it_is_asked_again() {
        let budgets = of_fleet();
        let identity = identity(Some("Basic YTpi"));
        let client = Client::new(None, &identity);
        let now = Instant::now();
        let charged = budgets.spend(client, CostClass::Item, now).unwrap();
        assert_eq!(charged.logins().len(), 1);
        let refused = budgets.refuse_logins(&charged, &[Duration::from_secs(50)], now);
        assert_eq!(
            (refused.budget, refused.wait),
            ("account-logins", Duration::from_secs(10))
        );
        assert!(budgets.spend(client, CostClass::Item, now).is_err());

        let asked = budgets.buckets.store.take_unsettled(10, now);
        assert_eq!((asked.len(), asked[0].taken.micros()), (1, 0));
        budgets
            .buckets
            .store
            .adopt(asked[0], Duration::from_secs(40), now);
        assert!(budgets.spend(client, CostClass::Item, now).is_ok());
    }

    #[test]
    fn a_store_gives_back_what_time_has_not() {
        let budgets = of_fleet();
        let identity = identity(Some("Basic YTpi"));
        let now = Instant::now();
        let mut charged = budgets
            .spend(Client::new(None, &identity), CostClass::Item, now)
            .unwrap();
        // Two calls of other edges are in its level.
        budgets.accept_logins(&mut charged, &[Duration::from_mins(1)], now);
        let back = budgets.return_charges(charged, now + Duration::from_secs(45));
        assert_eq!((back.len(), back[0].taken.micros()), (1, -15_000_000));
    }

    #[test]
    fn edges_alone_divide_the_rate_and_tell_it_later() {
        let budgets = of_fleet();
        let identity = identity(Some("Basic YTpi"));
        let client = Client::new(None, &identity);
        let now = Instant::now();
        let alone = || {
            let mut charged = budgets.spend(client, CostClass::Item, now)?;
            budgets.divide_logins(&mut charged, 2, now).map(|()| charged)
        };
        let first = alone().unwrap();
        assert!(alone().is_ok());
        assert_eq!(alone().unwrap_err().budget, "account-logins");
        assert!(budgets.return_charges(first, now).is_empty());
        let told = budgets.buckets.store.take_unsettled(10, now);
        assert_eq!(told[0].taken.micros(), 20_000_000);
    }
}
