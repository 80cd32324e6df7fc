//! What the ways through the gateway share.

use std::sync::Arc;

use super::entrance::Entrance;
use crate::backend::{Backends, ClientError, SharedBackends};
use crate::call::Judge;
use crate::config::Settings;
use crate::relay::RelayRules;
use crate::server::Drain;
use crate::target::Roots;
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
    /// Waits for writes at the end.
    pub(super) drain: Drain,
    /// Counts what was found.
    pub(super) metrics: Metrics,
}

impl Means {
    pub(super) fn new(settings: &Settings, shared: SharedBackends, drain: Drain, metrics: Metrics) -> Self {
        Self {
            roots: Roots::new(settings),
            entrance: Entrance::new(settings, metrics.clone()),
            judge: Judge::new(settings),
            rules: Arc::new(RelayRules::new(settings)),
            backends: Backends::new(settings, &shared),
            shared,
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
            rules: Arc::new(RelayRules::new(settings).remembering(&self.rules)),
            backends: Backends::new(settings, &shared),
            shared,
            drain: self.drain.clone(),
            metrics: self.metrics.clone(),
        })
    }
}
