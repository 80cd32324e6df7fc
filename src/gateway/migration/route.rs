//! Who answers a call: the site, or the backend of a rule.

use std::sync::Arc;
use std::time::Duration;

use super::callers::{CandidateWay, Candidates};
use crate::backend::PoolUse;
use crate::migration::RuleState;
use calendar_edge_core::cache::KeySpace;
use calendar_edge_core::relay::{BufferBudget, LearntRoots, RelayRules};
use calendar_edge_core::settings::{BackendSettings, CutoverRule};

/// Who answers a call.
#[derive(Debug, Clone, Default)]
pub(in crate::gateway) enum CallRoute {
    /// The site.
    #[default]
    Primary,
    /// The site; the first rule about the call does not take its client.
    Excluded(Arc<RuleState>),
    /// The backend of the rule that takes the client.
    Candidate(Arc<Cutover>),
}

/// A rule with the way to its backend.
#[derive(Debug)]
pub(in crate::gateway) struct Cutover {
    pub(in crate::gateway) rule: CutoverRule,
    pub(in crate::gateway) rule_state: Arc<RuleState>,
    pub(in crate::gateway) way: CandidateWay,
    /// The keys of kept responses of the backend.
    pub(in crate::gateway) keys: KeySpace,
    /// The longest time of an attempt that the site may have to follow.
    pub(in crate::gateway) first_attempt: Duration,
}

// === impl CallRoute ===

impl CallRoute {
    /// The keys of the stored responses of the backend of a rule.
    pub(in crate::gateway) fn keys(&self) -> Option<&KeySpace> {
        self.cutover().map(|cutover| &cutover.keys)
    }

    /// Whether the backend of a rule answers.
    pub(in crate::gateway) fn is_candidate(&self) -> bool {
        self.cutover().is_some()
    }

    /// Whether the site answers a read should the backend of the rule fail.
    pub(in crate::gateway) fn falls_back(&self) -> bool {
        self.cutover().is_some_and(|cutover| cutover.rule.fallback)
    }

    /// The rule, if another backend answers.
    pub(super) fn cutover(&self) -> Option<&Arc<Cutover>> {
        match self {
            Self::Primary | Self::Excluded(_) => None,
            Self::Candidate(cutover) => Some(cutover),
        }
    }
}

// === impl Cutover ===

impl Cutover {
    /// The way of a rule; none if its backend is not configured.
    pub(in crate::gateway) fn new(
        rule: &CutoverRule,
        site: &BackendSettings,
        candidates: &Candidates,
        buffers: &BufferBudget,
    ) -> Option<Self> {
        let pool = candidates.pools.get(&PoolUse::Calls(rule.backend.clone()))?;
        let rules = Arc::new(RelayRules::new(&pool.backend, &LearntRoots::default(), buffers));
        Some(Self {
            rule: rule.clone(),
            rule_state: candidates.migration.rule_state(rule),
            way: CandidateWay::over(pool, &rules, candidates.callers.as_ref()),
            keys: KeySpace::new(&pool.backend),
            first_attempt: site.timeouts.read / 2,
        })
    }
}
