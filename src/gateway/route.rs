//! Who answers a call: the site, or the backend of a rule.

use std::sync::Arc;
use std::time::Duration;

use super::dispatch::Dispatch;
use crate::backend::{Backends, Lane, LaneName};
use crate::caching::KeySpace;
use crate::migration::RuleSeat;
use crate::relay::{LearntRoots, RelayRules};
use crate::settings::{CutoverRule, Settings};
use crate::shared::Shared;

/// Who answers a call.
#[derive(Debug, Clone, Default)]
pub(super) enum CallRoute {
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
pub(super) struct Cutover {
    pub(super) rule: CutoverRule,
    pub(super) seat: Arc<RuleSeat>,
    pub(super) way: Dispatch,
    /// The keys of kept answers of the backend.
    pub(super) keys: KeySpace,
    /// The longest time of an attempt that the site may have to follow.
    pub(super) first_attempt: Duration,
}

// === impl CallRoute ===

impl CallRoute {
    /// The rule, if another backend answers.
    pub(super) fn cutover(&self) -> Option<&Arc<Cutover>> {
        match self {
            Self::Owner | Self::Spared(_) => None,
            Self::Further(cutover) => Some(cutover),
        }
    }
}

// === impl Cutover ===

impl Cutover {
    /// The way of a rule; none if its backend is not configured.
    pub(super) fn new(rule: &CutoverRule, settings: &Settings, shared: &Shared) -> Option<Self> {
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
