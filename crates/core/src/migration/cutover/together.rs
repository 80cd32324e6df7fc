//! A rule as the edges of a fleet share it: one standing, and the sums of all guards.

use super::control::RuleControl;
use super::guard::RuleGuard;
use super::rule_record::RuleRecord;
use super::shared_counts::SharedCounts;
use super::tally::Tally;
use crate::unix_time::UnixTime;

// === impl RuleControl ===

impl RuleControl {
    /// Takes the standing that the store of the fleet holds; none: it has none. True if the share is another now.
    pub fn merge(&mut self, fleet: Option<&RuleRecord>) -> bool {
        let before = self.share();
        let merged = self.standing.beside(fleet);
        let own = std::mem::replace(&mut self.standing, merged);
        let is_taken = own.returned.is_some() && self.standing.returned.is_none();
        if is_taken || self.standing.resumed != own.resumed {
            self.guard = self.rule.guard.as_ref().map(RuleGuard::new);
        }
        self.share() != before
    }

    /// Notes that the store has taken the standing of this version.
    pub fn confirm(&mut self, version: u64) {
        self.standing.agreed = self.standing.agreed.max(version);
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

    /// Takes what other edges have counted in one of these slots. The reason, if that has returned the calls, because all
    /// together is too much.
    pub fn take_counts(&mut self, slot: &str, others: &[SharedCounts], now: UnixTime) -> Option<String> {
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
        self.standing.return_calls(reason.clone(), now);
        Some(reason)
    }
}
