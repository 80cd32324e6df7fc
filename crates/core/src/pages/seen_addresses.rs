//! Which of endless addresses were asked for lately: only others count in the budget of all robots.

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
    /// The most addresses of a period that are told apart; each further one counts.
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

    /// Takes the hash of an address. True if nobody asked for it lately.
    pub fn is_new(&mut self, address: u64, now: Instant) -> bool {
        let age = now.saturating_duration_since(self.since);
        if age >= self.period {
            self.before = std::mem::take(&mut self.now);
            self.since = now;
            if age >= self.period * 2 {
                self.before.clear();
            }
        }
        let is_known = self.now.contains(&address) || self.before.contains(&address);
        if self.now.len() < Self::MOST {
            self.now.insert(address);
        }
        !is_known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_counts_once_in_a_period() {
        let begun = Instant::now();
        let at = |seconds| begun + Duration::from_secs(seconds);
        let mut seen = SeenAddresses::new(Duration::from_mins(1), begun);
        assert!(seen.is_new(1, at(0)));
        assert!(!seen.is_new(1, at(59)));
        assert!(!seen.is_new(1, at(61)), "it was asked for two seconds ago");
        assert!(seen.is_new(2, at(62)));
        assert!(seen.is_new(1, at(300)));
    }

    #[test]
    fn memory_is_bounded() {
        let begun = Instant::now();
        let mut seen = SeenAddresses::new(Duration::from_mins(1), begun);
        for address in 0..100_000 {
            assert!(seen.is_new(address, begun));
        }
        assert!(seen.now.len() <= SeenAddresses::MOST);
    }
}
