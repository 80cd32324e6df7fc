//! Logins that succeeded lately. Guesses of strangers use up the budget of an account, but lock its owner out neither at
//! an address nor with credentials from which the site has accepted a login (T-102).
//!
//! Each of them is a bucket that is not full while the login is known, under a keyed hash as all buckets: edges of a fleet
//! settle these buckets with the others. Guesses from such an address stay in the budget of the address.
//!
//! A response to a read proves no password, because a site may ignore it. The same credentials may read again: that is no
//! further guess. For the rest it counts where the site is known to check passwords.

use std::hash::BuildHasher;
use std::time::{Duration, Instant};

use super::budgets::{ACCOUNT_LOGINS, Budgets};
use super::charges::{Charges, KnownBy};
use super::client::Client;
use super::login::Login;
use super::rate_limit_fields::Exceeded;
use super::taken::{Settlement, Taken};
use crate::settings::Rate;
use calendar_edge_judge::call::credentials::Principal;

/// A login is known for one to two weeks: one that succeeds in the second half of that time counts anew.
const KNOWN: Rate = Rate {
    requests: 2,
    period: Duration::from_hours(14 * 24),
};

// === impl Budgets ===

impl Budgets {
    /// Notes what the site's response has shown about the login of a call.
    pub fn note_login(&self, charged: &Charges, login: Login, now: Instant) {
        let Some(known) = &charged.known_by else { return };
        let buckets: &[u64] = match login {
            Login::Written => &known.proved,
            Login::Read => &known.read,
            Login::Wrong => std::slice::from_ref(&known.checks),
            Login::Unproven | Login::NotRefused => &[],
        };
        for bucket in buckets {
            self.buckets.store.spend_if_room(*bucket, &KNOWN, now);
        }
    }

    /// The buckets by which a login is known. It has none if it may be of several accounts: then no response shows
    /// which of them the site accepted.
    pub(super) fn known_by(&self, client: Client<'_>) -> Option<Box<KnownBy>> {
        let account = client.accounts().next()?;
        let is_one = client.identity.sole_account().is_some();
        (is_one && self.count_logins()).then(|| {
            let mut known = self.known_at(client, account);
            let elsewhere = Client {
                authorization: None,
                scheme: "",
                ..client
            };
            // A password that is proved at one door makes the address known at the door that names no account.
            let at_any_door = self.known_at(elsewhere, &Principal::AnyAccount);
            known.proved.extend(at_any_door.proved);
            Box::new(known)
        })
    }

    /// Returns true if the site has lately accepted a login of this account from the client's address or with its
    /// credentials.
    pub(super) fn is_known(&self, client: Client<'_>, account: &Principal, now: Instant) -> bool {
        let known = self.known_at(client, account);
        let is_noted = |bucket: &u64| !self.buckets.store.is_full(*bucket, now);
        // The bucket of the credentials is the last.
        let read_with = client.authorization.and(known.read.last());
        known.proved.iter().any(is_noted)
            || (known.read.iter().any(is_noted) && is_noted(&known.checks))
            || (client.is_read && read_with.is_some_and(is_noted))
    }

    /// Requests from the other edges of a fleet, with the next exchange, their state of the login of a client whose
    /// account has used up its budget.
    pub fn look_up_login(&self, client: Client<'_>, exceeded: &Exceeded) {
        let accounts = client.accounts().filter(|_| exceeded.budget == ACCOUNT_LOGINS);
        for account in accounts {
            let KnownBy { proved, read, checks } = self.known_at(client, account);
            for bucket in proved.into_iter().chain(read).chain([checks]) {
                let taken = Taken::nothing(&KNOWN);
                self.buckets.store.request_level(Settlement { bucket, taken });
            }
        }
    }

    /// The buckets of an account at the client's network, and with the client's credentials.
    fn known_at(&self, client: Client<'_>, account: &Principal) -> KnownBy {
        let hash = &self.buckets.hash;
        let (network, scheme) = (client.network(), client.scheme);
        let shown = client.authorization;
        let of = |kind: &str, scheme: &str| {
            let at_network = network.map(|network| hash.hash_one((kind, scheme, account, network)));
            let with_credentials = shown.map(|shown| hash.hash_one((kind, scheme, account, shown)));
            at_network.into_iter().chain(with_credentials).collect()
        };
        KnownBy {
            proved: of("login", ""),
            read: of("login-read", scheme),
            checks: hash.hash_one(("login-checks", scheme)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use calendar_edge_judge::call::credentials::Credentials;
    use http::{HeaderMap, HeaderValue, Method};

    use super::super::client::CostClass;
    use super::super::sample_tests::{budgets, identity, rate};
    use super::super::shared_buckets::SharedBuckets;
    use super::*;
    use crate::keyed_hash::KeyedHash;
    use crate::settings::{Profile, RateLimits};

    const RIGHT: &str = "Basic YTpyaWdodA==";
    const WRONG: &str = "Basic YTp3cm9uZw==";

    /// Tries credentials from an address; true if the site gets them. The login counts as failed.
    fn tries(budgets: &Budgets, address: &str, shown: &'static str, now: Instant) -> bool {
        tries_by(budgets, address, (shown, &Method::POST), now)
    }

    fn tries_by(
        budgets: &Budgets,
        address: &str,
        (shown, method): (&'static str, &Method),
        now: Instant,
    ) -> bool {
        with_client(address, shown, |client| {
            budgets
                .spend(
                    Client {
                        is_read: method.is_safe(),
                        ..client
                    },
                    CostClass::Item,
                    now,
                )
                .is_ok()
        })
    }

    fn logs_in(budgets: &Budgets, address: &str, shown: &'static str, now: Instant) {
        responds(budgets, address, shown, Login::Written, now);
    }

    fn responds(budgets: &Budgets, address: &str, shown: &'static str, login: Login, now: Instant) {
        with_client(address, shown, |client| {
            let charged = budgets.spend(client, CostClass::Write, now).unwrap();
            budgets.note_login(&charged, login, now);
            drop(budgets.return_charges(charged, now));
        });
    }

    fn with_client<T>(address: &str, shown: &'static str, then: impl FnOnce(Client<'_>) -> T) -> T {
        let identity = identity(Some(shown));
        let address: IpAddr = address.parse().unwrap();
        then(Client {
            authorization: Some(shown.as_bytes()),
            scheme: "https",
            ..Client::new(Some(address), &identity)
        })
    }

    fn two_failures() -> Budgets {
        budgets(|limits| limits.failed_logins = Some(rate(2)))
    }

    #[test]
    fn strangers_lock_neither_a_known_address_nor_known_credentials() {
        let budgets = two_failures();
        let now = Instant::now();
        logs_in(&budgets, "192.0.2.1", RIGHT, now);
        for stranger in ["198.51.100.1", "198.51.100.2"] {
            assert!(tries(&budgets, stranger, WRONG, now));
        }
        for (address, shown, asks) in [
            ("198.51.100.3", WRONG, false),
            ("192.0.2.1", RIGHT, true),
            ("203.0.113.1", RIGHT, true),
            // The owner has a new password.
            ("192.0.2.1", WRONG, true),
            ("203.0.113.2", WRONG, false),
        ] {
            assert_eq!(tries(&budgets, address, shown, now), asks, "{address} {shown}");
        }
    }

    #[test]
    fn guesses_from_a_known_address_stay_in_its_budget() {
        let budgets = two_failures();
        let now = Instant::now();
        logs_in(&budgets, "192.0.2.1", RIGHT, now);
        let passed = (0..9).filter(|_| tries(&budgets, "192.0.2.1", WRONG, now));
        assert_eq!(passed.count(), 2);
        assert!(
            tries(&budgets, "198.51.100.1", WRONG, now),
            "none is the account's"
        );
    }

    #[test]
    fn a_read_proves_a_login_where_the_site_checks_passwords() {
        for (checks, passes) in [(false, false), (true, true)] {
            let budgets = two_failures();
            let now = Instant::now();
            responds(&budgets, "192.0.2.1", RIGHT, Login::Read, now);
            if checks {
                responds(&budgets, "198.51.100.9", "Basic Yjp4", Login::Wrong, now);
            }
            for stranger in ["198.51.100.1", "198.51.100.2"] {
                assert!(tries(&budgets, stranger, WRONG, now));
            }
            assert_eq!(tries(&budgets, "203.0.113.1", RIGHT, now), passes);
        }
    }

    #[test]
    fn what_has_read_reads_again_and_no_more() {
        let budgets = two_failures();
        let now = Instant::now();
        responds(&budgets, "192.0.2.1", RIGHT, Login::Read, now);
        for stranger in ["198.51.100.1", "198.51.100.2"] {
            assert!(tries_by(&budgets, stranger, (WRONG, &Method::GET), now));
        }
        for (address, shown, method, passes) in [
            ("203.0.113.1", RIGHT, Method::GET, true),
            ("203.0.113.1", RIGHT, Method::HEAD, true),
            ("203.0.113.1", RIGHT, Method::POST, false),
            ("192.0.2.1", RIGHT, Method::DELETE, false),
            ("192.0.2.1", WRONG, Method::GET, false),
            ("198.51.100.9", WRONG, Method::GET, false),
        ] {
            let asked = tries_by(&budgets, address, (shown, &method), now);
            assert_eq!(asked, passes, "{address} {shown} {method}");
        }
    }

    #[test]
    fn credentials_of_two_accounts_prove_none() {
        let headers = [
            ("authorization", RIGHT),
            ("cookie", "wordpress_logged_in_a=b|1|x|y"),
        ]
        .map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value)));
        let headers: HeaderMap = headers.into_iter().collect();
        let credentials = Credentials::read(&headers, Profile::Compatible).unwrap();
        let client = Client::new(None, credentials.identity());
        assert!(two_failures().known_by(client).is_none());
    }

    #[test]
    fn a_login_is_of_one_account() {
        let budgets = two_failures();
        let now = Instant::now();
        logs_in(&budgets, "192.0.2.1", "Basic Yjpi", now);
        assert!(tries(&budgets, "198.51.100.1", WRONG, now) && tries(&budgets, "198.51.100.2", WRONG, now));
        assert!(!tries(&budgets, "192.0.2.1", RIGHT, now));
    }

    #[test]
    fn a_login_is_known_for_a_week_and_with_another_one_longer() {
        const WEEK: Duration = Duration::from_hours(7 * 24);
        let budgets = two_failures();
        let now = Instant::now();
        let passes = |at| {
            for stranger in ["198.51.100.1", "198.51.100.2"] {
                assert!(tries(&budgets, stranger, WRONG, at));
            }
            tries(&budgets, "192.0.2.1", WRONG, at)
        };
        logs_in(&budgets, "192.0.2.1", RIGHT, now);
        assert!(passes(now + WEEK / 2));
        logs_in(&budgets, "192.0.2.1", RIGHT, now + WEEK / 2);
        assert!(passes(now + WEEK + WEEK / 4));
        assert!(!passes(now + 2 * WEEK + WEEK / 4));
    }

    #[test]
    fn an_edge_of_a_fleet_asks_for_logins_that_others_know() {
        let limits = RateLimits {
            failed_logins: Some(rate(2)),
            ..RateLimits::default()
        };
        let edge = || Budgets::new(&limits, &SharedBuckets::new(Some(KeyedHash::new([7; 16]))));
        let (first, second) = (edge(), edge());
        let now = Instant::now();
        logs_in(&first, "192.0.2.1", RIGHT, now);
        let known = first.buckets.store.take_unsettled(10, now);
        let known: Vec<_> = known.iter().filter(|known| known.taken.micros() > 0).collect();
        assert_eq!(known.len(), 3);
        for stranger in ["198.51.100.1", "198.51.100.2"] {
            assert!(tries(&second, stranger, WRONG, now));
        }
        drop(second.buckets.store.take_unsettled(10, now));
        with_client("192.0.2.1", RIGHT, |client| {
            let exceeded = second.spend(client, CostClass::Item, now).unwrap_err();
            second.look_up_login(client, &exceeded);
        });
        let asked = second.buckets.store.take_unsettled(10, now);
        // The third one counts at the door that names no account.
        let is_asked = |known: &&&Settlement| asked.iter().any(|asked| asked.bucket == known.bucket);
        let asked: Vec<_> = known.iter().filter(is_asked).collect();
        assert_eq!(asked.len(), 2);
        for settlement in asked {
            let level = Duration::from_micros(settlement.taken.micros().unsigned_abs());
            second.buckets.store.adopt(**settlement, level, now);
        }
        assert!(tries(&second, "192.0.2.1", RIGHT, now));
    }
}
