//! The share of a rule: as configured, or nothing after the guard has seen enough.

use super::guard::RuleGuard;
use super::place::ClientId;
use super::rule_event::RuleEvent;
use super::rule_record::RuleRecord;
use crate::settings::{CutoverRule, Percentage};
use crate::unix_time::UnixTime;

/// A rule while the edge runs. Times are passed in.
#[derive(Debug, Clone)]
pub struct RuleControl {
    /// The settings.
    pub rule: CutoverRule,
    /// The guard of the rule, if it has one.
    pub guard: Option<RuleGuard>,
    /// The state that outlives a restart.
    pub standing: RuleRecord,
}

// === impl RuleControl ===

impl RuleControl {
    /// A rule with what is known of earlier runs.
    pub fn new(rule: CutoverRule, standing: RuleRecord) -> Self {
        Self {
            guard: rule.guard.as_ref().map(RuleGuard::new),
            rule,
            standing,
        }
    }

    /// Takes other settings. Returned calls stay returned.
    pub fn adopt(&mut self, rule: CutoverRule) {
        let known = self.guard.take();
        let known = known.filter(|guard| Some(&guard.settings) == rule.guard.as_ref());
        self.guard = known.or_else(|| rule.guard.as_ref().map(RuleGuard::new));
        self.rule = rule;
    }

    /// The share of clients that the rule takes now.
    pub fn share(&self) -> Percentage {
        if self.standing.returned.is_some() {
            return Percentage::NONE;
        }
        self.rule.share
    }

    /// Counts an event of a client's call. The reason, if the guard has returned all calls to the site for it.
    pub fn observe(&mut self, event: RuleEvent, client: ClientId, now: UnixTime) -> Option<String> {
        if self.standing.returned.is_some() {
            return None;
        }
        let reason = self.guard.as_mut()?.observe(event, client, now)?;
        self.standing.return_calls(reason.clone(), now);
        Some(reason)
    }

    /// Takes clients again; false if no calls were returned.
    pub fn resume(&mut self, now: UnixTime) -> bool {
        if !self.standing.resume(now) {
            return false;
        }
        self.guard = self.rule.guard.as_ref().map(RuleGuard::new);
        true
    }
}
