//! All state that outlives a reload.
//!
//! Stacks are built from settings and this state only. A part that needs memory of its own beyond one request has
//! its place here, and nowhere else.

use crate::backend::BackendPools;
use crate::backend::{ClientError, SharedBackends, SiteIndexes};
use crate::cache::Cache;
use crate::companion::{ChangeFeed, Companions, Receivers};
use crate::fleet::{Fleet, FleetLimits};
use crate::migration::Migration;
use crate::observe::traces::Traces;
use crate::server::bodies::BodyBudget;
use crate::server::threads::Placement;
use crate::server::{ConnectionLimit, Drain, PerAddressLimit};
use crate::telemetry::{FindingSums, Metrics, Refusals, Warnings};
use calendar_edge_core::limits::rates::SharedBuckets;
use calendar_edge_core::relay::{BufferBudget, LearntRoots};
use calendar_edge_core::settings::Settings;

/// Connection pools, permits, breakers, rate limit buckets, learnt names and counters; clones share them.
#[derive(Debug, Clone)]
pub(crate) struct Shared {
    /// The state of each backend: connections, permits, retry budget, breaker.
    pub(crate) backends: SharedBackends,
    /// The ways to other backends, with the same state.
    pub(crate) pools: BackendPools,
    /// What was found out about other backends.
    pub(crate) migration: Migration,
    /// What the sites publish about the API.
    pub(crate) indexes: SiteIndexes,
    /// The rate limit buckets of clients.
    pub(crate) buckets: SharedBuckets,
    /// The kept answers.
    pub(crate) cache: Cache,
    /// What is heard of the companion plugins of the sites.
    pub(crate) companions: Companions,
    /// Who changes are posted to.
    pub(crate) receivers: Receivers,
    /// The other edges.
    pub(crate) fleet: Fleet,
    /// The roots that origins advertise.
    pub(crate) learnt: LearntRoots,
    /// The memory budget of responses that are buffered for clients.
    pub(crate) buffers: BufferBudget,
    /// The memory budget of request bodies.
    pub(crate) bodies: BodyBudget,
    /// The client connections that are open.
    pub(crate) connections: ConnectionLimit,
    /// The client connections of each address.
    pub(crate) per_address: PerAddressLimit,
    /// The threads that serve connections.
    pub(crate) placement: Placement,
    /// Connections and writes that are waited for at the end.
    pub(crate) drain: Drain,
    /// Everything that is counted.
    pub(crate) metrics: Metrics,
    /// The last refusals.
    pub(crate) refusals: Refusals,
    /// Warnings that repeat.
    pub(crate) warnings: Warnings,
    /// The rules that requests broke.
    pub(crate) findings: FindingSums,
    /// Who takes the spans of requests.
    pub(crate) traces: Traces,
}

// === impl Shared ===

impl Shared {
    /// The state for the first settings, with room for so many client connections, which these threads serve.
    ///
    /// # Errors
    ///
    /// When TLS toward a backend or the collector cannot be set up.
    pub(crate) fn new(
        settings: &Settings,
        connections: usize,
        placement: Placement,
        metrics: Metrics,
    ) -> Result<Self, ClientError> {
        let per_address = PerAddressLimit::default();
        per_address.limit(settings.limits.connections_per_address, &settings.trusted_proxies);
        let site = settings.site();
        let indexes = SiteIndexes::default();
        indexes.recall(&site);
        metrics.connections().limited(connections);
        let buffers = BufferBudget::new(settings.limits.response_buffer_total);
        let cache = Cache::new(&settings.cache, metrics.cache().clone(), &buffers);
        let refusals = Refusals::default();
        refusals.keep_most(kept_refusals(settings));
        let warnings = Warnings::default();
        let threads = placement.threads();
        let feed = ChangeFeed::new(settings, &metrics);
        let companions = Companions::new(cache.clone(), feed);
        let migration = Migration::new(settings, &cache, &metrics);
        let shared = Self {
            traces: Traces::new(&settings.traces, &metrics, &warnings)?,
            backends: SharedBackends::new(&site, metrics.clone(), threads)?,
            pools: BackendPools::new(settings, metrics.clone(), threads)?,
            indexes,
            buckets: SharedBuckets::new(&settings.rate_limits, FleetLimits::hash(&settings.fleet)),
            fleet: Fleet::new(settings, &companions, &migration, &metrics, &warnings),
            migration,
            receivers: Receivers::new(&settings.webhooks)?,
            companions,
            cache,
            learnt: LearntRoots::default(),
            buffers,
            bodies: BodyBudget::new(settings.limits.request_buffer_total),
            connections: ConnectionLimit::new(connections),
            per_address,
            placement,
            drain: Drain::default(),
            metrics,
            refusals,
            warnings,
            findings: FindingSums::default(),
        };
        shared.share_limits();
        Ok(shared)
    }

    /// The state for new settings. The state in use does not change: these settings may still be refused.
    ///
    /// # Errors
    ///
    /// When TLS toward a backend or the collector cannot be set up.
    pub(crate) fn adapt(&self, settings: &Settings) -> Result<Self, ClientError> {
        // Only adds what is not known, so that it does no harm where the settings are refused.
        let site = settings.site();
        self.indexes.recall(&site);
        Ok(Self {
            backends: self.backends.adapt(&site)?,
            pools: self.pools.adapt(settings)?,
            buckets: self
                .buckets
                .of(&settings.rate_limits, FleetLimits::hash(&settings.fleet)),
            traces: self.traces.adapt(&settings.traces)?,
            receivers: Receivers::new(&settings.webhooks)?,
            ..self.clone()
        })
    }

    /// Divides what edges of a fleet limit together.
    fn share_limits(&self) {
        let permits = self.backends.permits();
        let permits = permits.chain(self.pools.permits());
        self.fleet.limits().watch(&self.buckets, permits);
    }

    /// Applies the bounds of settings that are in use from now on to the state that all stacks share.
    pub(crate) fn rebound(&self, settings: &Settings, connections: usize) {
        let site = settings.site();
        self.indexes.retain(&site);
        self.buckets.adapt(&settings.rate_limits);
        self.cache.adapt(&settings.cache);
        self.migration.adapt(settings);
        self.companions.adapt(&settings.roots);
        self.companions.feed().adapt(settings);
        self.fleet.adapt(settings);
        self.share_limits();
        self.learnt.adapt(&site);
        self.buffers.resize(settings.limits.response_buffer_total);
        self.bodies.resize(settings.limits.request_buffer_total);
        self.connections.resize(connections);
        self.metrics.connections().limited(connections);
        self.refusals.keep_most(kept_refusals(settings));
        self.per_address
            .limit(settings.limits.connections_per_address, &settings.trusted_proxies);
    }
}

/// Without an admin listener nobody can ask for them.
fn kept_refusals(settings: &Settings) -> usize {
    settings.admin.as_ref().map_or(0, |_| settings.log.refusals)
}
