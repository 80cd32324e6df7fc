//! The parts of the edge that the admin listener shows.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwap;

use super::pages::Pages;
use super::readiness::Readiness;
use super::status::{EdgeFacts, Readings};
use crate::companion::CompanionService;
use crate::gateway::Subjects;
use crate::server::bodies::BodyBudget;
use crate::telemetry::{FindingSums, Metrics, Refusals};
use calendar_edge_core::relay::BufferBudget;

/// The parts of the edge that the admin listener shows.
#[derive(Debug)]
pub(crate) struct AdminParts {
    /// Facts that stay as they are from the start on.
    pub(crate) facts: EdgeFacts,
    /// The configuration file that is followed, if there is one.
    pub(crate) file: Arc<OnceLock<PathBuf>>,
    /// The edge's readiness.
    pub(crate) readiness: Arc<Readiness>,
    /// Documents that depend on the settings only.
    pub(crate) pages: Arc<ArcSwap<Pages>>,
    /// Requests to remove responses.
    pub(crate) companion_service: Arc<ArcSwap<CompanionService>>,
    /// Everything that is counted.
    pub(crate) metrics: Metrics,
    /// Counts of the last minutes.
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
    /// All metrics, with those that are computed for this request.
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
