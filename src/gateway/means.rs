//! What the ways through the gateway share.

use std::sync::Arc;

use super::entrance::Entrance;
use crate::call::Judge;
use crate::relay::RelayRules;
use crate::server::Drain;
use crate::settings::Settings;
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
    /// Leads to the origin.
    pub(super) upstream: Arc<Upstream>,
    /// Waits for writes at the end.
    pub(super) drain: Drain,
    /// Counts what was found.
    pub(super) metrics: Metrics,
}

impl Means {
    pub(super) fn new(settings: &Settings, upstream: Upstream, drain: Drain, metrics: Metrics) -> Self {
        Self {
            roots: Roots::new(settings),
            entrance: Entrance::new(settings, metrics.clone()),
            judge: Judge::new(settings),
            rules: Arc::new(RelayRules::new(settings)),
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
            rules: Arc::new(RelayRules::new(settings).remembering(&self.rules)),
            upstream: Arc::new(self.upstream.renewed(settings)?),
            drain: self.drain.clone(),
            metrics: self.metrics.clone(),
        })
    }
}
