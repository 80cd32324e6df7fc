//! A rule with the way to its backend.

use std::sync::Arc;
use std::time::Duration;

use super::callers::{CandidateWay, OtherBackends};
use super::rule_state::RuleState;
use crate::backend::PoolUse;
use crate::calls::CandidateRoute;
use calendar_edge_core::cache::KeySpace;
use calendar_edge_core::relay::{BufferBudget, LearntRoots, RelayRules};
use calendar_edge_core::settings::{BackendSettings, CutoverRule, Settings};

/// A rule with the way to its backend.
#[derive(Debug)]
pub(crate) struct Cutover {
    pub(super) route: Arc<CandidateRoute>,
    pub(super) rule_state: Arc<RuleState>,
    pub(super) way: CandidateWay,
    /// The longest time of an attempt that the site may have to follow.
    pub(super) first_attempt: Duration,
}

/// The rules by their positions; none where the backend of a rule is not configured.
pub(crate) type Cutovers = Arc<[Option<Cutover>]>;

// === impl Cutover ===

impl Cutover {
    /// The ways of all rules of these settings.
    pub(crate) fn all(
        settings: &Settings,
        site: &BackendSettings,
        candidates: &OtherBackends,
        buffers: &BufferBudget,
    ) -> Cutovers {
        let rules = settings.cutover.iter().enumerate();
        rules
            .map(|(position, rule)| Self::new(position, rule, site, candidates, buffers))
            .collect()
    }

    fn new(
        position: usize,
        rule: &CutoverRule,
        site: &BackendSettings,
        candidates: &OtherBackends,
        buffers: &BufferBudget,
    ) -> Option<Self> {
        let pool = candidates.pools.get(&PoolUse::Calls(rule.backend.clone()))?;
        let rules = Arc::new(RelayRules::new(&pool.backend, &LearntRoots::default(), buffers));
        Some(Self {
            route: Arc::new(CandidateRoute {
                rule: position,
                backend: rule.backend.clone(),
                keys: KeySpace::new(&pool.backend),
                falls_back: rule.fallback,
            }),
            rule_state: candidates.migration.rule_state(rule),
            way: CandidateWay::over(pool, &rules, candidates.callers.as_ref()),
            first_attempt: site.timeouts.longest_read() / 2,
        })
    }
}
