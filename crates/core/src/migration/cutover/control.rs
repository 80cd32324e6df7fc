//! The share of a rule: as configured, in steps, or nothing after the guard has seen enough.

use super::guard::RuleGuard;
use super::place::ClientId;
use super::rule_event::RuleEvent;
use super::rule_record::RuleRecord;
use crate::settings::{CutoverRule, Percentage};
use crate::unix_time::UnixTime;

/// A rule while the edge runs. Times are passed in.
#[derive(Debug, Clone)]
pub struct RuleControl {
    pub(super) rule: CutoverRule,
    pub(super) guard: Option<RuleGuard>,
    pub(super) standing: RuleRecord,
    /// Whether the edges of a fleet take steps together.
    pub(super) is_shared: bool,
}

/// A change of a rule's share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleChange {
    /// The guard has returned all calls to the site, for this reason.
    Returned(String),
    /// The next step began.
    Stepped(Percentage),
    /// Another edge of the fleet has changed the share.
    Heard(Percentage),
}

// === impl RuleControl ===

impl RuleControl {
    /// A rule with what is known of earlier runs.
    pub fn new(rule: CutoverRule, standing: RuleRecord, now: UnixTime) -> Self {
        let mut this = Self {
            guard: None,
            rule: CutoverRule::default(),
            standing,
            is_shared: false,
        };
        this.adopt(rule, now);
        this
    }

    /// Takes other settings. Returned calls stay returned; other steps begin with the first.
    pub fn adopt(&mut self, rule: CutoverRule, now: UnixTime) {
        let known = self.guard.take();
        let known = known.filter(|guard| Some(guard.settings()) == rule.guard.as_ref());
        self.guard = known.or_else(|| rule.guard.as_ref().map(RuleGuard::new));
        self.rule = rule;
        let steps = self.steps();
        if steps != self.standing.steps {
            // The first steps of a rule that nothing is known of are no change of it.
            let is_change = self.standing.version > 0 || !self.standing.steps.is_empty();
            self.standing.version += u64::from(is_change);
            self.standing.steps = steps;
            self.begin_step(0, now);
        }
    }

    /// The steps of the settings, as they are written.
    pub(super) fn steps(&self) -> Vec<String> {
        self.rule.steps.iter().map(ToString::to_string).collect()
    }

    /// The share of clients that the rule takes now.
    pub fn share(&self) -> Percentage {
        if self.standing.returned.is_some() {
            return Percentage::NONE;
        }
        let steps = &self.rule.steps;
        let step = if self.standing.steps == self.steps() {
            steps.get(self.standing.step).or(steps.last())
        } else {
            // The fleet is on other steps than these settings.
            steps.first()
        };
        step.copied().unwrap_or(self.rule.share)
    }

    /// What outlives a restart.
    pub const fn standing(&self) -> &RuleRecord {
        &self.standing
    }

    /// The settings.
    pub const fn rule(&self) -> &CutoverRule {
        &self.rule
    }

    /// The guard of the rule, if it has one.
    pub const fn guard(&self) -> Option<&RuleGuard> {
        self.guard.as_ref()
    }

    /// Counts an event of a client's call, and changes the share if that is due.
    pub fn observe(&mut self, event: RuleEvent, client: ClientId, now: UnixTime) -> Option<RuleChange> {
        if self.standing.returned.is_some() {
            return None;
        }
        if matches!(
            event,
            RuleEvent::Answered(_) | RuleEvent::Began(_) | RuleEvent::Failed
        ) {
            self.standing.calls = self.standing.calls.saturating_add(1);
        }
        let guard = self.guard.as_mut();
        if let Some(reason) = guard.and_then(|guard| guard.observe(event, client, now)) {
            self.return_calls(reason.clone(), now);
            return Some(RuleChange::Returned(reason));
        }
        let step = self.next_step(0, now).filter(|_| !self.is_shared)?;
        self.standing.version += 1;
        self.begin_step(step, now);
        Some(RuleChange::Stepped(self.share()))
    }

    /// Returns all calls to the site.
    pub fn return_calls(&mut self, reason: String, now: UnixTime) {
        self.standing.return_calls(reason, now);
    }

    /// Takes clients again, steps from the first one on; false if no calls were returned.
    pub fn resume(&mut self, now: UnixTime) -> bool {
        if !self.standing.resume(now) {
            return false;
        }
        self.guard = self.rule.guard.as_ref().map(RuleGuard::new);
        self.begin_step(0, now);
        true
    }

    /// The position of the next step, if it is due with so many calls of other edges.
    pub(super) fn next_step(&self, others: u64, now: UnixTime) -> Option<usize> {
        let next = self.standing.step + 1;
        self.rule.steps.get(next)?;
        let lasted = now.as_secs().saturating_sub(self.standing.since);
        let calls = self.standing.calls.saturating_add(others);
        let is_due = lasted >= self.rule.step_time.as_secs() && calls >= self.rule.step_calls;
        is_due.then_some(next)
    }

    fn begin_step(&mut self, step: usize, now: UnixTime) {
        self.standing.step = step;
        self.standing.since = now.as_secs();
        self.standing.calls = 0;
    }
}
