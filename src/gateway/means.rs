//! What the ways through the gateway share.

use std::sync::Arc;

use super::entrance::Entrance;
use crate::call::Judge;
use crate::config::Settings;
use crate::relay::{BufferBudget, LearntRoots, RelayRules};
use crate::server::Drain;
use crate::target::Roots;
use crate::telemetry::Metrics;
use crate::upstream::{ClientError, Upstream};

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
    learnt: LearntRoots,
    budget: BufferBudget,
    /// Leads to the origin.
    pub(super) upstream: Arc<Upstream>,
    /// Waits for writes at the end.
    pub(super) drain: Drain,
    /// Counts what was found.
    pub(super) metrics: Metrics,
}

impl Means {
    pub(super) fn new(settings: &Settings, upstream: Upstream, drain: Drain, metrics: Metrics) -> Self {
        let (learnt, budget) = (LearntRoots::default(), BufferBudget::new(settings));
        Self {
            roots: Roots::new(settings),
            entrance: Entrance::new(settings, metrics.clone()),
            judge: Judge::new(settings),
            rules: Arc::new(RelayRules::new(settings, &learnt, &budget)),
            learnt,
            budget,
            upstream: Arc::new(upstream),
            drain,
            metrics,
        }
    }

    /// The means under new settings; what these leave alone lives on.
    pub(super) fn renewed(&self, settings: &Settings) -> Result<Self, ClientError> {
        Ok(Self {
            roots: Roots::new(settings),
            entrance: self.entrance.renewed(settings),
            judge: Judge::new(settings),
            rules: Arc::new(RelayRules::new(settings, &self.learnt, &self.budget)),
            learnt: self.learnt.clone(),
            budget: self.budget.clone(),
            upstream: Arc::new(self.upstream.renewed(settings)?),
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
