//! The endless addresses that were passed on lately: only others count in the budget of all robots.

use std::collections::HashSet;
use std::time::{Duration, Instant};

/// The addresses of the last one to two periods.
#[derive(Debug)]
pub struct SeenAddresses {
    period: Duration,
    since: Instant,
    now: HashSet<u64>,
    before: HashSet<u64>,
}

// === impl SeenAddresses ===

impl SeenAddresses {
    /// The most addresses of a period that are distinguished; each further one counts.
    const MOST: usize = 65_536;

    /// None yet.
    pub fn new(period: Duration, now: Instant) -> Self {
        Self {
            period,
            since: now,
            now: HashSet::new(),
            before: HashSet::new(),
        }
    }

    /// True if an address with this hash was passed on lately.
    pub fn contains(&mut self, address: u64, now: Instant) -> bool {
        let age = now.saturating_duration_since(self.since);
        if age >= self.period {
            self.before = std::mem::take(&mut self.now);
            self.since = now;
            if age >= self.period * 2 {
                self.before.clear();
            }
        }
        self.now.contains(&address) || self.before.contains(&address)
    }

    /// An address was passed on. One that was refused stays unknown: a further request for it counts again.
    pub fn passed(&mut self, address: u64) {
        if self.now.len() < Self::MOST {
            self.now.insert(address);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_new(seen: &mut SeenAddresses, address: u64, now: Instant) -> bool {
        let is_known = seen.contains(address, now);
        seen.passed(address);
        !is_known
    }

    #[test]
    fn an_address_counts_once_in_a_period() {
        let begun = Instant::now();
        let at = |seconds| begun + Duration::from_secs(seconds);
        let mut seen = SeenAddresses::new(Duration::from_mins(1), begun);
        assert!(is_new(&mut seen, 1, at(0)));
        assert!(!is_new(&mut seen, 1, at(59)));
        assert!(!is_new(&mut seen, 1, at(61)), "it was requested two seconds ago");
        assert!(is_new(&mut seen, 2, at(62)));
        assert!(is_new(&mut seen, 1, at(300)));
    }

    #[test]
    fn an_address_that_was_refused_counts_again() {
        let begun = Instant::now();
        let mut seen = SeenAddresses::new(Duration::from_mins(1), begun);
        assert!(!seen.contains(1, begun));
        assert!(!seen.contains(1, begun));
    }

    #[test]
    fn memory_is_bounded() {
        let begun = Instant::now();
        let mut seen = SeenAddresses::new(Duration::from_mins(1), begun);
        for address in 0..100_000 {
            assert!(is_new(&mut seen, address, begun));
        }
        assert!(seen.now.len() <= SeenAddresses::MOST);
    }
}
