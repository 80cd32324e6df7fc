//! The counts of a slot that the guards of several edges send each other.

use serde::{Deserialize, Serialize};

use super::place::ClientId;
use super::tally::{CallCounts, Tally};

/// The counts of one edge for a rule in one slot of its window, as JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedCounts {
    /// The rule.
    pub rule: String,
    /// The slot, with its length.
    pub slot: String,
    /// The version of the rule's standing at the edge. Counts of before a return are of another version.
    pub version: u64,
    pub(super) total: CallCounts,
    /// Clients by the numbers of their hashes: those with faults first, no more than some hundred.
    pub(super) clients: Vec<(ClientId, CallCounts)>,
}

/// The most clients that an edge lists for one slot.
const MOST_CLIENTS: usize = 256;

// === impl SharedCounts ===

impl SharedCounts {
    /// The kind of the sealed text.
    pub const KIND: &'static str = "counts";

    /// The counts of a slot, without its name.
    pub(super) fn of(tally: &Tally) -> Self {
        let clients = tally.clients.iter();
        let mut clients: Vec<_> = clients.map(|(client, counts)| (*client, *counts)).collect();
        clients.sort_by_key(|(client, counts)| (!counts.has_fault(), *client));
        clients.truncate(MOST_CLIENTS);
        Self {
            total: tally.total,
            clients,
            ..Self::default()
        }
    }

    /// The text.
    pub fn to_json(&self) -> String {
        // Numbers and texts always have a form in JSON.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads the text of a rule and a slot; none if it is another one.
    pub fn read(text: &str, rule: &str, slot: &str) -> Option<Self> {
        let counts: Self = serde_json::from_str(text).ok()?;
        (counts.rule == rule && counts.slot == slot).then_some(counts)
    }

    pub(super) fn tally(&self) -> Tally {
        Tally {
            total: self.total,
            clients: self.clients.iter().take(MOST_CLIENTS).copied().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_as_they_were_written_and_only_for_their_slot() {
        let mut tally = Tally::default();
        for client in 0..1_000 {
            tally.count(ClientId(u64::MAX - client), |counts| {
                counts.calls += 1;
                counts.failed += u64::from(client < 3);
            });
        }
        let counts = SharedCounts {
            rule: "a".to_owned(),
            slot: "30000-7".to_owned(),
            ..SharedCounts::of(&tally)
        };
        let read = SharedCounts::read(&counts.to_json(), "a", "30000-7").unwrap();
        assert_eq!(read, counts);
        assert_eq!(read.tally().total, tally.total);
        let failed = read
            .tally()
            .clients
            .values()
            .filter(|counts| counts.failed > 0)
            .count();
        assert_eq!(
            (read.tally().clients.len(), failed),
            (256, 3),
            "faults come first"
        );
        assert_eq!(SharedCounts::read(&counts.to_json(), "b", "30000-7"), None);
        assert_eq!(SharedCounts::read(&counts.to_json(), "a", "30000-8"), None);
        assert_eq!(SharedCounts::read("{}", "a", "30000-7"), None);
    }
}
