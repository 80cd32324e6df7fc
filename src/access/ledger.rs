//! The buckets of all visitors: so many at most, and the full ones forgotten.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::pace::{self, Level};
use crate::settings::Rate;

/// How often the full buckets are looked for, at most: that walks through all of them.
const SWEEP_INTERVAL: Duration = Duration::from_secs(1);

/// Buckets by keyed hash, so that neither addresses nor credentials are held.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    full_at: HashMap<u64, Instant>,
    next_sweep: Option<Instant>,
}

/// Which bucket pays.
#[derive(Debug, Clone, Copy)]
pub(super) struct Account {
    /// The visitor's own.
    pub(super) own: u64,
    /// The one that visitors share for whom there is no room.
    pub(super) shared: u64,
    /// Most buckets, shared ones aside; those beyond a lowered limit go when they are full.
    pub(super) room: usize,
}

// === impl Ledger ===

impl Ledger {
    /// Takes one call from an account, or says how long until it has one.
    pub(super) fn spend(&mut self, account: Account, rate: &Rate, now: Instant) -> Result<Level, Duration> {
        let key = if self.has_room_for(account, now) {
            account.own
        } else {
            account.shared
        };
        let level = pace::spend(rate, self.full_at.get(&key).copied(), now)?;
        self.full_at.insert(key, level.full_at);
        Ok(level)
    }

    /// How long until an account has a call; none: it has one now.
    pub(super) fn wait(&self, account: Account, rate: &Rate, now: Instant) -> Option<Duration> {
        let known = self.full_at.get(&account.own);
        let shared = || (self.full_at.len() >= account.room).then(|| self.full_at.get(&account.shared));
        let full_at = known.or_else(|| shared().flatten());
        pace::spend(rate, full_at.copied(), now).err()
    }

    fn has_room_for(&mut self, account: Account, now: Instant) -> bool {
        let Account { own, room, .. } = account;
        if self.full_at.contains_key(&own) {
            return true;
        }
        if self.full_at.len() >= room && self.next_sweep.is_none_or(|at| at <= now) {
            self.next_sweep = Some(now + SWEEP_INTERVAL);
            self.full_at.retain(|_, full_at| *full_at > now);
            // A crowd that came once must not hold memory for good.
            self.full_at.shrink_to(self.full_at.len().saturating_mul(2));
        }
        self.full_at.len() < room
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate {
        requests: 2,
        period: Duration::from_secs(10),
    };

    fn account(own: u64, room: usize) -> Account {
        Account { own, shared: 0, room }
    }

    #[test]
    fn accounts_do_not_spend_for_each_other() {
        let now = Instant::now();
        let mut ledger = Ledger::default();
        for own in [1, 1, 2, 2] {
            assert!(ledger.spend(account(own, 10), &RATE, now).is_ok());
        }
        assert_eq!(
            ledger.wait(account(1, 10), &RATE, now),
            Some(Duration::from_secs(5))
        );
        assert_eq!(
            ledger.spend(account(1, 10), &RATE, now),
            Err(Duration::from_secs(5))
        );
        assert_eq!(ledger.wait(account(3, 10), &RATE, now), None);
    }

    #[test]
    fn beyond_the_limit_one_bucket_is_shared() {
        let now = Instant::now();
        let mut ledger = Ledger::default();
        for own in 1..=5 {
            assert!(ledger.spend(account(own, 3), &RATE, now).is_ok(), "{own}");
        }
        // 4 and 5 have spent what 6 would share.
        assert!(ledger.spend(account(6, 3), &RATE, now).is_err());
        assert!(ledger.wait(account(6, 3), &RATE, now).is_some());
        assert!(ledger.spend(account(1, 3), &RATE, now).is_ok());
        assert_eq!(ledger.full_at.len(), 4);
    }

    #[test]
    fn full_buckets_make_room() {
        let now = Instant::now();
        let mut ledger = Ledger::default();
        for own in 1..=2000 {
            let _ = ledger.spend(account(own, 1000), &RATE, now);
        }
        let later = now + RATE.period;
        assert!(ledger.spend(account(3000, 1000), &RATE, later).is_ok());
        assert_eq!(ledger.full_at.len(), 1);
        assert!(ledger.full_at.capacity() < 1000);
    }

    #[test]
    fn a_crowd_is_not_walked_through_for_each_of_its_members() {
        let now = Instant::now();
        let mut ledger = Ledger::default();
        let _ = ledger.spend(account(1, 1), &RATE, now);
        let _ = ledger.spend(account(2, 1), &RATE, now);
        let swept = ledger.next_sweep;
        let _ = ledger.spend(account(3, 1), &RATE, now + SWEEP_INTERVAL / 2);
        assert_eq!(ledger.next_sweep, swept);
    }
}
