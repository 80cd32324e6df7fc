//! What the ways through the gateway share.

use std::sync::Arc;

use super::entrance::Entrance;
use crate::backend::{Backends, ClientError, SharedBackends};
use crate::call::Judge;
use crate::relay::{BufferBudget, LearntRoots, RelayRules};
use crate::routing::Roots;
use crate::server::Drain;
use crate::settings::Settings;
use crate::telemetry::Metrics;

/// Everything a request may need on its way, made once.
#[derive(Debug)]
pub(super) struct Means {
    /// Finds the place of a target.
    pub(super) roots: Roots,
    /// Lets visitors in.
    pub(super) entrance: Entrance,
    /// Judges calls.
    pub(super) judge: Judge,
    /// Turns the origin's answers into the client's.
    pub(super) rules: Arc<RelayRules>,
    /// Send calls to their origins.
    pub(super) backends: Backends,
    /// What of the backends outlives a reload.
    shared: SharedBackends,
    learnt: LearntRoots,
    budget: BufferBudget,
    /// Waits for writes at the end.
    pub(super) drain: Drain,
    /// Counts what was found.
    pub(super) metrics: Metrics,
}

impl Means {
    pub(super) fn new(settings: &Settings, shared: SharedBackends, drain: Drain, metrics: Metrics) -> Self {
        let (learnt, budget) = (LearntRoots::default(), BufferBudget::new(settings));
        Self {
            roots: Roots::new(settings),
            entrance: Entrance::new(settings, metrics.clone()),
            judge: Judge::new(settings),
            backends: Backends::new(settings, &shared),
            shared,
            rules: Arc::new(RelayRules::new(settings, &learnt, &budget)),
            learnt,
            budget,
            drain,
            metrics,
        }
    }

    /// The means under new settings; what these leave alone lives on.
    pub(super) fn renewed(&self, settings: &Settings) -> Result<Self, ClientError> {
        let shared = self.shared.adapt(settings)?;
        Ok(Self {
            roots: Roots::new(settings),
            entrance: self.entrance.renewed(settings),
            judge: Judge::new(settings),
            backends: Backends::new(settings, &shared),
            shared,
            rules: Arc::new(RelayRules::new(settings, &self.learnt, &self.budget)),
            learnt: self.learnt.clone(),
            budget: self.budget.clone(),
            drain: self.drain.clone(),
            metrics: self.metrics.clone(),
        })
    }

    /// Adapts what all generations of settings share; called when these settings are in use.
    pub(super) fn adapt(&self, settings: &Settings) {
        self.learnt.adapt(settings);
        self.budget.adapt(settings);
    }
}
