//! Who answers a call: the site, or the backend of a rule.

use std::sync::Arc;
use std::time::Duration;

use crate::backend::{Backends, Lane, LaneName};
use crate::gateway::Shared;
use crate::gateway::dispatch::Dispatch;
use crate::migration::RuleSeat;
use calendar_edge_core::cache::KeySpace;
use calendar_edge_core::relay::{LearntRoots, RelayRules};
use calendar_edge_core::settings::{CutoverRule, Settings};

/// Who answers a call.
#[derive(Debug, Clone, Default)]
pub(in crate::gateway) enum CallRoute {
    /// The site.
    #[default]
    Owner,
    /// The site; the first rule about the call does not take its client.
    Spared(Arc<RuleSeat>),
    /// The backend of the rule that takes the client.
    Further(Arc<Cutover>),
}

/// A rule with the way to its backend.
#[derive(Debug)]
pub(in crate::gateway) struct Cutover {
    pub(in crate::gateway) rule: CutoverRule,
    pub(in crate::gateway) seat: Arc<RuleSeat>,
    pub(in crate::gateway) way: Dispatch,
    /// The keys of kept answers of the backend.
    pub(in crate::gateway) keys: KeySpace,
    /// The longest time of an attempt that the site may have to follow.
    pub(in crate::gateway) first_attempt: Duration,
}

// === impl CallRoute ===

impl CallRoute {
    /// The rule, if another backend answers.
    pub(in crate::gateway) fn cutover(&self) -> Option<&Arc<Cutover>> {
        match self {
            Self::Owner | Self::Spared(_) => None,
            Self::Further(cutover) => Some(cutover),
        }
    }
}

// === impl Cutover ===

impl Cutover {
    /// The way of a rule; none if its backend is not configured.
    pub(in crate::gateway) fn new(rule: &CutoverRule, settings: &Settings, shared: &Shared) -> Option<Self> {
        let Lane {
            settings: derived,
            shared: state,
        } = shared.lanes.get(&LaneName::Calls(rule.backend.clone()))?;
        let backends = Arc::new(Backends::new(derived, state));
        let rules = RelayRules::new(derived, &LearntRoots::default(), &shared.buffers);
        Some(Self {
            rule: rule.clone(),
            seat: shared.migration.seat(rule),
            way: Dispatch::new(&backends, &Arc::new(rules)),
            keys: KeySpace::of_backend(derived, &rule.backend),
            first_attempt: settings.timeouts.origin_read / 2,
        })
    }
}
