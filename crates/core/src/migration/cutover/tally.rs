//! The counts of a rule in a span of time: of all clients together, and of each.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::place::ClientId;

/// The counts of a span of time. Two of them add up.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Tally {
    pub(super) total: CallCounts,
    /// The part of each client in it.
    pub(super) clients: HashMap<ClientId, CallCounts>,
}

/// Counts of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "[u64; 4]", into = "[u64; 4]")]
pub struct CallCounts {
    /// Calls at the backend of the rule.
    pub calls: u64,
    /// Those that failed there.
    pub failed: u64,
    /// Calls whose responses were compared.
    pub compared: u64,
    /// Those that differ.
    pub different: u64,
}

/// A fault that a limit is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallFault {
    Failed,
    Different,
}

/// The clients that a tally distinguishes. Beyond them it counts those with a fault, as many again.
const MOST_CLIENTS: usize = 1024;

// === impl Tally ===

impl Tally {
    /// Counts something of a client.
    pub(super) fn count(&mut self, client: ClientId, change: impl Fn(&mut CallCounts)) {
        change(&mut self.total);
        let mut one = CallCounts::default();
        change(&mut one);
        let most = if one.has_fault() {
            2 * MOST_CLIENTS
        } else {
            MOST_CLIENTS
        };
        if self.clients.len() < most {
            change(self.clients.entry(client).or_default());
        } else if let Some(counts) = self.clients.get_mut(&client) {
            change(counts);
        }
    }

    /// Adds all counts of another one.
    pub(super) fn add_all(&mut self, other: &Self) {
        self.total.add_all(&other.total);
        for (client, counts) in &other.clients {
            self.clients.entry(*client).or_default().add_all(counts);
        }
    }

    /// The clients that had a fault, and all clients.
    pub(super) fn clients_with(&self, fault: CallFault) -> (u64, u64) {
        let with = self.clients.values().filter(|counts| counts.share(fault).0 > 0);
        (count(with.count()), count(self.clients.len()))
    }

    /// The most faults that any one client had.
    pub(super) fn largest(&self, fault: CallFault) -> u64 {
        let faults = self.clients.values().map(|counts| counts.share(fault).0);
        faults.max().unwrap_or(0)
    }

    /// Forgets everything, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.total = CallCounts::default();
        self.clients.clear();
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

// === impl CallCounts ===

impl CallCounts {
    /// The calls with a fault, and all that could have had it.
    pub(super) const fn share(&self, fault: CallFault) -> (u64, u64) {
        match fault {
            CallFault::Failed => (self.failed, self.calls),
            CallFault::Different => (self.different, self.compared),
        }
    }

    /// Adds all counts of another one.
    pub(super) fn add_all(&mut self, other: &Self) {
        let (mut sums, others): ([_; 4], [_; 4]) = ((*self).into(), (*other).into());
        for (sum, more) in sums.iter_mut().zip(others) {
            *sum = u64::saturating_add(*sum, more);
        }
        *self = sums.into();
    }

    /// True if a call with a fault is among them.
    pub(super) const fn has_fault(&self) -> bool {
        self.failed + self.different > 0
    }
}

impl From<[u64; 4]> for CallCounts {
    fn from([calls, failed, compared, different]: [u64; 4]) -> Self {
        Self {
            calls,
            failed,
            compared,
            different,
        }
    }
}

impl From<CallCounts> for [u64; 4] {
    fn from(counts: CallCounts) -> Self {
        [counts.calls, counts.failed, counts.compared, counts.different]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_with_faults_are_counted_beyond_all_others() {
        let mut tally = Tally::default();
        for client in 0..5_000 {
            tally.count(ClientId(client), |counts| counts.calls += 1);
        }
        assert_eq!(tally.clients_with(CallFault::Failed), (0, 1024));
        for client in 5_000..6_000 {
            tally.count(ClientId(client), |counts| {
                counts.calls += 1;
                counts.failed += 1;
            });
        }
        assert_eq!(tally.clients_with(CallFault::Failed), (1_000, 2_024));
        assert_eq!((tally.total.calls, tally.largest(CallFault::Failed)), (6_000, 1));
    }
}
