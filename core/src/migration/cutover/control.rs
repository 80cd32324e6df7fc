//! The share of a rule: as configured, in steps, or nothing after the guard has seen enough.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::guard::{RuleEvent, RuleGuard, TripReason};
use super::place::ClientId;
use super::tally::CallCounts;
use crate::settings::{CutoverRule, Percentage};
use crate::unix_time::UnixTime;

/// A rule while the edge runs. Times are passed in.
#[derive(Debug, Clone)]
pub struct RuleControl {
    rule: CutoverRule,
    guard: Option<RuleGuard>,
    standing: RuleRecord,
}

/// What outlives a restart of the edge.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RuleRecord {
    /// Why and since when the rule takes nobody; none: it takes its share.
    #[serde(default)]
    pub returned: Option<Returned>,
    /// The steps that the rule is on.
    #[serde(default)]
    pub steps: Vec<String>,
    /// The position among the steps.
    #[serde(default)]
    pub step: usize,
    /// When the step began, in seconds since 1970.
    #[serde(default)]
    pub since: u64,
    /// The calls at the backend since then.
    #[serde(default)]
    pub calls: u64,
}

/// The return of a rule's calls to the site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Returned {
    /// Why, in words.
    pub reason: String,
    /// When, in seconds since 1970.
    pub at: u64,
}

/// A change of a rule's share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleChange {
    /// The guard has returned all calls to the site.
    Returned(TripReason),
    /// The next step began.
    Stepped(Percentage),
}

/// What a guard sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GuardView {
    /// The counts of the window.
    pub counts: CallCounts,
    /// The median of the backend.
    pub own_median: Option<Duration>,
    /// The median of the site.
    pub owner_median: Option<Duration>,
}

// === impl RuleControl ===

impl RuleControl {
    /// A rule with what is known of earlier runs.
    pub fn new(rule: CutoverRule, standing: RuleRecord, now: UnixTime) -> Self {
        let mut this = Self {
            guard: None,
            rule: CutoverRule::default(),
            standing,
        };
        this.adopt(rule, now);
        this
    }

    /// Takes other settings. Returned calls stay returned; other steps begin with the first.
    pub fn adopt(&mut self, rule: CutoverRule, now: UnixTime) {
        let known = self.guard.take();
        let known = known.filter(|guard| Some(guard.settings()) == rule.guard.as_ref());
        self.guard = known.or_else(|| rule.guard.as_ref().map(RuleGuard::new));
        let steps: Vec<String> = rule.steps.iter().map(ToString::to_string).collect();
        if steps != self.standing.steps {
            self.standing.steps = steps;
            self.begin_step(0, now);
        }
        self.rule = rule;
    }

    /// The share of clients that the rule takes now.
    pub fn share(&self) -> Percentage {
        if self.standing.returned.is_some() {
            return Percentage::NONE;
        }
        let steps = &self.rule.steps;
        let step = steps.get(self.standing.step).or(steps.last());
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

    /// What the guard sees; none without a guard.
    pub fn view(&self, now: UnixTime) -> Option<GuardView> {
        let guard = self.guard.as_ref()?;
        let (own_median, owner_median) = guard.medians(now);
        Some(GuardView {
            counts: guard.counts(now),
            own_median,
            owner_median,
        })
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
            self.return_calls(reason.to_string(), now);
            return Some(RuleChange::Returned(reason));
        }
        self.step(now)
    }

    /// Returns all calls to the site.
    pub fn return_calls(&mut self, reason: String, now: UnixTime) {
        let at = now.as_secs();
        self.standing.returned = Some(Returned { reason, at });
    }

    /// Takes clients again, steps from the first one on; false if no calls were returned.
    pub fn resume(&mut self, now: UnixTime) -> bool {
        if self.standing.returned.take().is_none() {
            return false;
        }
        self.guard = self.rule.guard.as_ref().map(RuleGuard::new);
        self.begin_step(0, now);
        true
    }

    fn step(&mut self, now: UnixTime) -> Option<RuleChange> {
        let next = self.standing.step + 1;
        let share = *self.rule.steps.get(next)?;
        let lasted = now.as_secs().saturating_sub(self.standing.since);
        if lasted < self.rule.step_time.as_secs() || self.standing.calls < self.rule.step_calls {
            return None;
        }
        self.begin_step(next, now);
        Some(RuleChange::Stepped(share))
    }

    fn begin_step(&mut self, step: usize, now: UnixTime) {
        self.standing.step = step;
        self.standing.since = now.as_secs();
        self.standing.calls = 0;
    }
}
