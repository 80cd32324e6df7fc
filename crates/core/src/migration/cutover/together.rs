//! A rule as the edges of a fleet share it: one standing, and the sums of all guards.

use super::control::{RuleChange, RuleControl};
use super::guard::RuleGuard;
use super::rule_record::{Merged, RuleRecord};
use super::shared_counts::SharedCounts;
use super::tally::Tally;
use crate::unix_time::UnixTime;

// === impl RuleControl ===

impl RuleControl {
    /// Takes the standing that the store of the fleet holds; none: it has none. The change, if the share is another now.
    pub fn merge(&mut self, fleet: Option<&RuleRecord>) -> Option<RuleChange> {
        let before = self.share();
        match (self.standing.beside(fleet), fleet) {
            (Merged::Agreed, _) | (Merged::Theirs { .. }, None) => {}
            (Merged::Theirs { version }, Some(fleet)) => self.take(fleet, version),
            (Merged::Own { version }, fleet) => {
                self.standing.version = version;
                self.standing.agreed = fleet.map_or(0, |fleet| fleet.version);
            }
        }
        (self.share() != before).then(|| RuleChange::Received(self.share()))
    }

    /// Notes that the store has taken the standing of this version.
    pub fn confirm(&mut self, version: u64) {
        self.standing.agreed = self.standing.agreed.max(version);
    }

    fn take(&mut self, fleet: &RuleRecord, version: u64) {
        let own = &self.standing;
        let is_resumed = fleet.resumed != own.resumed || own.returned.is_some() && fleet.returned.is_none();
        self.standing = RuleRecord {
            version,
            agreed: fleet.version,
            ..fleet.clone()
        };
        if is_resumed {
            self.guard = self.rule.guard.as_ref().map(RuleGuard::new);
        }
    }

    /// The counts of this edge of late, one value for each slot that others may still count in.
    pub fn counts_to_send(&self, now: UnixTime) -> Vec<SharedCounts> {
        let Some(guard) = &self.guard else {
            return Vec::new();
        };
        let slot = |number: u128| SharedCounts {
            rule: self.rule.name.clone(),
            slot: guard.slot_name(number),
            version: self.standing.version,
            ..guard.own(number).map(SharedCounts::of).unwrap_or_default()
        };
        guard.open_slots(now).map(slot).collect()
    }

    /// Takes what other edges have counted in one of these slots; returns the calls if all together is too much.
    pub fn take_counts(&mut self, slot: &str, others: &[SharedCounts], now: UnixTime) -> Option<RuleChange> {
        let version = self.standing.version;
        let guard = self.guard.as_mut().filter(|_| self.standing.returned.is_none())?;
        let number = guard
            .open_slots(now)
            .find(|number| guard.slot_name(*number) == slot)?;
        let mut sum = Tally::default();
        // Calls of before a return are no longer held against the rule.
        let current = others.iter().filter(|counts| counts.version == version);
        current.for_each(|counts| sum.add_all(&counts.tally()));
        let reason = guard.take_counts(number, sum, now)?;
        self.return_calls(reason.clone(), now);
        Some(RuleChange::Returned(reason))
    }
}
