//! The state of the stages that outlives a reload.

use std::sync::Arc;

use super::subjects::Subjects;
use crate::backend::{BackendPools, ClientError, SharedBackends, SiteIndexes};
use crate::fleet::FleetLimits;
use crate::server::Drain;
use crate::server::bodies::BodyBudget;
use crate::telemetry::{FindingSums, Metrics, Warnings};
use calendar_edge_core::gateway::circle::CircleKey;
use calendar_edge_core::limits::rates::SharedBuckets;
use calendar_edge_core::relay::{BufferBudget, LearntRoots};
use calendar_edge_core::settings::Settings;

/// Connection pools, permits, breakers, rate limit buckets, learnt names and counters; clones share them.
#[derive(Debug, Clone)]
pub(crate) struct GatewayState {
    /// By which the edge, or its fleet, recognises its own requests.
    pub(crate) circle: Arc<CircleKey>,
    /// The state of each backend: connections, permits, retry budget, breaker.
    pub(crate) backends: SharedBackends,
    /// The ways to other backends, with the same state.
    pub(crate) pools: BackendPools,
    /// The subjects.
    pub(crate) subjects: Subjects,
    /// The indexes that the sites publish.
    pub(crate) indexes: SiteIndexes,
    /// The rate limit buckets of clients.
    pub(crate) buckets: SharedBuckets,
    /// The roots that origins advertise.
    pub(crate) learnt: LearntRoots,
    /// The memory budget of responses that are buffered for clients.
    pub(crate) buffers: BufferBudget,
    /// The memory budget of request bodies.
    pub(crate) bodies: BodyBudget,
    /// Connections and writes that are waited for at the end.
    pub(crate) drain: Drain,
    /// Everything that is counted.
    pub(crate) metrics: Metrics,
    /// Warnings that repeat.
    pub(crate) warnings: Warnings,
    /// The rules that requests broke.
    pub(crate) findings: FindingSums,
}

// === impl GatewayState ===

impl GatewayState {
    /// The state for the first settings; so many threads serve.
    ///
    /// # Errors
    ///
    /// When TLS toward a backend cannot be set up.
    pub(crate) fn new(settings: &Settings, threads: usize, metrics: Metrics) -> Result<Self, ClientError> {
        let site = settings.site();
        let hash = FleetLimits::hash(&settings.fleet);
        let circle = Arc::new(CircleKey::new(hash));
        let indexes = SiteIndexes::default();
        indexes.recall(&site);
        let buffers = BufferBudget::new(settings.limits.response_buffer_total);
        let warnings = Warnings::default();
        let state = Self {
            backends: SharedBackends::new(&site, metrics.clone(), &circle, threads)?,
            pools: BackendPools::new(settings, metrics.clone(), &circle, threads)?,
            indexes,
            buckets: SharedBuckets::new(hash),
            subjects: Subjects::new(settings, &metrics, &buffers, &warnings),
            learnt: LearntRoots::default(),
            buffers,
            bodies: BodyBudget::new(settings.limits.request_buffer_total),
            drain: Drain::default(),
            metrics,
            warnings,
            findings: FindingSums::default(),
            circle,
        };
        state.share_limits();
        Ok(state)
    }

    /// The state for new settings. The state in use does not change: these settings may still be refused.
    ///
    /// # Errors
    ///
    /// When TLS toward a backend cannot be set up.
    pub(crate) fn adapt(&self, settings: &Settings) -> Result<Self, ClientError> {
        // Only adds unknown entries, so that it does no harm where the settings are refused.
        let site = settings.site();
        self.indexes.recall(&site);
        let hash = FleetLimits::hash(&settings.fleet);
        Ok(Self {
            backends: self.backends.adapt(&site)?,
            pools: self.pools.adapt(settings)?,
            buckets: self.buckets.of(hash),
            ..self.clone()
        })
    }

    /// Keeps the state that outlives the edge in files, until the drain begins.
    pub(crate) fn keep_files(&self) {
        for subject in self.subjects.all() {
            subject.keep_files(&self.drain);
        }
    }

    /// Divides the shared limits among the edges of a fleet.
    fn share_limits(&self) {
        let permits = self.backends.permits().chain(self.pools.permits());
        self.subjects.fleet.limits.watch(&self.buckets, permits);
    }

    /// Applies the bounds of settings that are in use from now on to the state that all stacks share.
    pub(crate) fn rebound(&self, settings: &Settings) {
        let site = settings.site();
        self.indexes.retain(&site);
        for subject in self.subjects.all() {
            subject.adapt(settings);
        }
        self.share_limits();
        self.learnt.adapt(&site);
    }
}
