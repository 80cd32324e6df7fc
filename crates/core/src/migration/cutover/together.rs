//! A rule as the edges of a fleet share it: one standing, the sums of all guards, and steps that all take at once.

use super::control::{RuleChange, RuleControl};
use super::guard::RuleGuard;
use super::rule_record::{Merged, RuleRecord};
use super::shared_counts::SharedCounts;
use super::tally::Tally;
use crate::unix_time::UnixTime;

// === impl RuleControl ===

impl RuleControl {
    /// Whether the edges of a fleet take steps together. Alone, an edge of a fleet takes none.
    pub const fn share_steps(&mut self, is_shared: bool) {
        self.is_shared = is_shared;
    }

    /// Takes the standing that the store of the fleet holds; none: it has none. The change, if the share is another now.
    pub fn meet(&mut self, fleet: Option<&RuleRecord>) -> Option<RuleChange> {
        let before = self.share();
        match (self.standing.beside(fleet), fleet) {
            (Merged::Agreed, _) | (Merged::Theirs { .. }, None) => {}
            (Merged::Theirs { version }, Some(fleet)) => self.take(fleet, version),
            (Merged::Own { version }, fleet) => {
                self.standing.version = version;
                self.standing.agreed = fleet.map_or(0, |fleet| fleet.version);
            }
        }
        (self.share() != before).then(|| RuleChange::Heard(self.share()))
    }

    /// Notes that the store has taken the standing of this version.
    pub fn is_told(&mut self, version: u64) {
        self.standing.agreed = self.standing.agreed.max(version);
    }

    fn take(&mut self, fleet: &RuleRecord, version: u64) {
        let own = &self.standing;
        let is_same_step = (fleet.step, fleet.since) == (own.step, own.since);
        let is_resumed = fleet.resumed != own.resumed || own.returned.is_some() && fleet.returned.is_none();
        self.standing = RuleRecord {
            version,
            agreed: fleet.version,
            calls: if is_same_step { own.calls } else { 0 },
            ..fleet.clone()
        };
        if is_resumed {
            self.guard = self.rule.guard.as_ref().map(RuleGuard::new);
        }
    }

    /// What this edge has counted of late, one value for each slot that others may still count in.
    pub fn counts_to_tell(&self, now: UnixTime) -> Vec<SharedCounts> {
        let Some(guard) = &self.guard else {
            return Vec::new();
        };
        let slot = |number: u128| SharedCounts {
            rule: self.rule.name.clone(),
            slot: guard.slot_name(number),
            version: self.standing.version,
            steps: self.steps(),
            step_calls: self.standing.calls,
            ..guard.own(number).map(SharedCounts::of).unwrap_or_default()
        };
        guard.open_slots(now).map(slot).collect()
    }

    /// Takes what other edges have counted in one of these slots; returns the calls if all together is too much.
    pub fn hear_counts(&mut self, slot: &str, others: &[SharedCounts], now: UnixTime) -> Option<RuleChange> {
        let version = self.standing.version;
        let guard = self.guard.as_mut().filter(|_| self.standing.returned.is_none())?;
        let number = guard
            .open_slots(now)
            .find(|number| guard.slot_name(*number) == slot)?;
        let mut sum = Tally::default();
        // What was counted before a return or a step is no longer held against the rule.
        let current = others.iter().filter(|counts| counts.version == version);
        current.for_each(|counts| sum.add_all(&counts.tally()));
        let reason = guard.hear(number, sum, now)?;
        self.return_calls(reason.clone(), now);
        Some(RuleChange::Returned(reason))
    }

    /// The standing with the next step, if that is due and every other edge knows this standing and has these steps.
    /// Nothing has changed before the store has it.
    pub fn step_to_tell(&self, others: &[SharedCounts], now: UnixTime) -> Option<RuleRecord> {
        let (own, steps) = (&self.standing, self.steps());
        let agrees = |other: &SharedCounts| other.version == own.version && other.steps == steps;
        if own.returned.is_some() || own.is_untold() || !others.iter().all(agrees) {
            return None;
        }
        let calls = others.iter().map(|other| other.step_calls).sum();
        let step = if own.steps == steps {
            self.next_step(calls, now)?
        } else {
            0
        };
        Some(RuleRecord {
            version: own.version + 1,
            agreed: own.version + 1,
            since: now.as_secs(),
            calls: 0,
            step,
            steps,
            ..own.clone()
        })
    }
}
