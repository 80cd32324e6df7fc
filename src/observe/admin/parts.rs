//! What the admin listener shows.

use std::sync::Arc;

use arc_swap::{ArcSwap, ArcSwapOption};

use super::pages::Pages;
use super::readiness::Readiness;
use super::status::{EdgeFacts, Readings};
use crate::companion::CompanionService;
use crate::config::EffectiveConfig;
use crate::gateway::Subjects;
use crate::server::bodies::BodyBudget;
use crate::telemetry::{FindingSums, Metrics, Refusals};
use calendar_edge_core::relay::BufferBudget;

/// What the admin listener shows.
#[derive(Debug)]
pub(crate) struct AdminParts {
    /// What stays as it is from the start on.
    pub(crate) facts: EdgeFacts,
    /// The configuration in effect; missing where an edge runs without a program around it.
    pub(crate) effective: Arc<ArcSwapOption<EffectiveConfig>>,
    /// Whether the edge is ready.
    pub(crate) readiness: Readiness,
    /// What depends on the settings only.
    pub(crate) pages: Arc<ArcSwap<Pages>>,
    /// Requests to remove answers.
    pub(crate) companion_service: Arc<ArcSwap<CompanionService>>,
    /// Everything that is counted.
    pub(crate) metrics: Metrics,
    /// What was counted in the last minutes.
    pub(crate) readings: Readings,
    /// The subjects.
    pub(crate) subjects: Subjects,
    /// The last refusals.
    pub(crate) refusals: Refusals,
    /// The rules that requests broke.
    pub(crate) findings: FindingSums,
    /// The memory of request bodies.
    pub(crate) bodies: BodyBudget,
    /// The memory of responses for slow clients.
    pub(crate) buffers: BufferBudget,
}

// === impl AdminParts ===

impl AdminParts {
    /// All metrics, with those that are only known when somebody asks.
    pub(super) fn measured(&self) -> String {
        for subject in self.subjects.all() {
            subject.measure();
        }
        let usage = [self.bodies.usage(), self.buffers.usage()];
        self.metrics.memory().hold(usage);
        self.metrics.concerns().hold(&self.concerns(), self.runs_saved());
        self.metrics.render()
    }
}
