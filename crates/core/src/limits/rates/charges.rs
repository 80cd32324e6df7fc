//! The charges of a request on entry, and how the cost of a failed login is given back.

use std::time::{Duration, Instant};

use super::bucket_store::{BucketKey, BucketStore, PaidBy};
use super::budgets::Budget;
use super::gcra;
use super::rate_limit_fields::RateLimitStatus;
use super::taken::Taken;
use crate::settings::Rate;

/// The charges of a request on entry. [`Budgets::return_charges`](super::Budgets::return_charges) gives back what counts only for
/// failed logins; without it, all stays spent.
#[derive(Debug, Default)]
#[must_use = "a request whose login was not refused gets its charges back"]
pub struct Charges {
    /// The rest of the client's budgets.
    pub status: RateLimitStatus,
    /// The cost of a failed login in each of its budgets, which have the rate of all edges together.
    pub(super) logins: Vec<(Budget, Charge)>,
    /// The place of notes about the login that the site's response shows.
    pub(super) known_by: Option<Box<KnownBy>>,
    /// The store of a fleet holds the cost of a failed login as well.
    pub(super) is_at_store: bool,
}

/// The buckets by which a login of one account and client is known.
#[derive(Debug, Default)]
pub(super) struct KnownBy {
    /// Of logins that the site has proved.
    pub(super) proved: Vec<u64>,
    /// Of logins of reads to which the site responded. They count where it checks passwords.
    pub(super) read: Vec<u64>,
    /// Of the site's checks of passwords. WordPress checks those of `Authorization` over one scheme, perhaps, and not
    /// over the other.
    pub(super) checks: u64,
}

/// One call that was taken from a bucket, to give it back.
#[derive(Debug, Clone, Copy)]
pub(super) struct Charge {
    paid_by: PaidBy,
    /// The time in which the bucket regains the call.
    share: Duration,
    /// The time at which the bucket was to be full after it.
    pub(super) full_at: Instant,
    /// The part of it that was noted for other edges.
    noted: Option<Taken>,
}

// === impl Charge ===

impl Charge {
    /// The time of the call's share that the bucket has not regained yet.
    pub(super) fn outstanding(&self, now: Instant) -> Duration {
        gcra::outstanding(self.share, self.full_at, now)
    }
}

// === impl BucketStore ===

impl BucketStore {
    /// As [`Self::spend`], with what it takes to give the call back. Other edges receive the share that is given,
    /// if one is.
    pub(super) fn charge(
        &self,
        key: BucketKey,
        rate: &Rate,
        noted: Option<Taken>,
        now: Instant,
    ) -> Result<Charge, Duration> {
        let noted = noted.filter(|_| self.is_shared);
        let (level, paid_by) = self.take(key, rate, noted, now)?;
        Ok(Charge {
            paid_by,
            share: gcra::share(rate),
            full_at: level.full_at,
            noted,
        })
    }

    /// Gives a call back, as far as time has not done so.
    pub(super) fn return_charge(&self, charge: &Charge, now: Instant) {
        let back = charge.outstanding(now);
        let earlier = |full_at: &mut Instant| *full_at = full_at.checked_sub(back).unwrap_or(now);
        match charge.paid_by {
            PaidBy::Own(own) => {
                let mut shard = self.shard(own).lock();
                let is_there = shard.full_at.get_mut(&own).map(earlier).is_some();
                if let Some(noted) = charge.noted.filter(|_| is_there) {
                    shard.note(own, noted.given_back(back));
                }
            }
            PaidBy::Shared(shared) => {
                self.overflow.lock().get_mut(&shared).map(earlier);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate {
        requests: 2,
        period: Duration::from_secs(10),
    };

    const KEY: BucketKey = BucketKey { own: 1, shared: 0 };

    #[test]
    fn charges_are_returned_up_to_what_was_taken() {
        let now = Instant::now();
        for (limit, later, left) in [
            // The own bucket, at once, after half of the time and after all of it.
            (10, 0, 2),
            (10, 4, 2),
            (10, 40, 2),
            // The shared one.
            (0, 0, 2),
        ] {
            let store = BucketStore::new(limit);
            let charge = store.charge(KEY, &RATE, None, now).unwrap();
            let later = now + Duration::from_secs(later);
            store.return_charge(&charge, later);
            let spent = (0..5).filter(|_| store.spend(KEY, &RATE, later).is_ok());
            assert_eq!(spent.count(), left, "{limit} {later:?}");
        }
    }

    #[test]
    fn a_late_return_does_not_pay_for_others() {
        let now = Instant::now();
        let store = BucketStore::new(10);
        let first = store.charge(KEY, &RATE, None, now).unwrap();
        let later = now + RATE.period;
        assert!(store.spend(KEY, &RATE, later).is_ok() && store.spend(KEY, &RATE, later).is_ok());
        store.return_charge(&first, later);
        assert!(store.spend(KEY, &RATE, later).is_err());
    }

    #[test]
    fn other_edges_hear_of_what_was_taken_and_given_back() {
        let now = Instant::now();
        let told = |store: &BucketStore, at| {
            let taken = store.take_unsettled(10, at);
            taken
                .iter()
                .map(|settled| settled.taken.micros())
                .collect::<Vec<_>>()
        };
        let share = Some(Taken::of(&RATE));
        let store = BucketStore::of_fleet(10);
        let charge = store.charge(KEY, &RATE, share, now).unwrap();
        assert_eq!(told(&store, now), [5_000_000]);
        let later = now + Duration::from_secs(2);
        store.return_charge(&charge, later);
        assert_eq!(told(&store, later), [-3_000_000]);
        assert!(told(&store, later).is_empty());
        let alone = BucketStore::new(10);
        assert!(alone.charge(KEY, &RATE, share, now).is_ok());
        assert!(told(&alone, now).is_empty());
    }
}
