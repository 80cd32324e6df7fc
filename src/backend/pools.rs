//! The ways to backends that rules name: each with its own connections, permits and breaker.

use std::collections::HashMap;
use std::sync::Arc;

use super::bulkhead::Bulkhead;
use super::client::ClientError;
use super::shared::SharedBackends;
use crate::telemetry::Metrics;
use calendar_edge_core::gateway::circle::CircleKey;
use calendar_edge_core::settings::{BackendSettings, PRIMARY, Settings, ShadowRule};

/// The ways to backends, by name; clones share their state.
#[derive(Debug, Clone)]
pub(crate) struct BackendPools {
    by_name: HashMap<PoolUse, BackendPool>,
    /// The state of a way that is new.
    empty: SharedBackends,
}

/// One way to a backend.
#[derive(Debug, Clone)]
pub(crate) struct BackendPool {
    /// The backend, with the limits of this way.
    pub(crate) backend: Arc<BackendSettings>,
    /// Connections, permits and breaker.
    pub(crate) shared: SharedBackends,
}

/// The use of a way, with the name of the backend.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum PoolUse {
    /// Copies of reads, for comparison.
    Copies(String),
    /// Copies to the site of reads that the backend responds to, for comparison.
    SiteCopies(String),
    /// Calls that the backend responds to.
    Calls(String),
}

// === impl BackendPools ===

impl BackendPools {
    /// The ways that the rules of these settings name.
    pub(crate) fn new(
        settings: &Settings,
        metrics: Metrics,
        circle: &Arc<CircleKey>,
        threads: usize,
    ) -> Result<Self, ClientError> {
        let none = Self {
            by_name: HashMap::new(),
            empty: SharedBackends::empty(metrics, circle, threads),
        };
        none.adapt(settings)
    }

    /// The ways of new settings; each keeps what the settings leave unchanged.
    pub(crate) fn adapt(&self, settings: &Settings) -> Result<Self, ClientError> {
        let mut by_name = HashMap::new();
        for (name, backend) in named(settings) {
            let shared = match self.by_name.get(&name) {
                Some(pool) => pool.shared.adapt(&backend)?,
                None => self.empty.clone().labelled(name.label()).adapt(&backend)?,
            };
            let backend = Arc::new(backend);
            by_name.insert(name, BackendPool { backend, shared });
        }
        let empty = self.empty.clone();
        Ok(Self { by_name, empty })
    }

    /// The way of a name, if the settings have it.
    pub(crate) fn get(&self, name: &PoolUse) -> Option<&BackendPool> {
        self.by_name.get(name)
    }

    /// The permits of calls that backends respond to. Those of copies are divided by the budgets of their rules.
    pub(crate) fn permits(&self) -> impl Iterator<Item = Arc<Bulkhead>> {
        let of_calls = |(name, _): &(&PoolUse, &BackendPool)| matches!(name, PoolUse::Calls(_));
        self.by_name
            .iter()
            .filter(of_calls)
            .flat_map(|(_, pool)| pool.shared.permits())
    }
}

/// Maximum number of concurrent connections of all ways.
pub(crate) fn most_pool_connections(settings: &Settings) -> usize {
    let pools = named(settings).into_iter();
    pools.map(|(_, backend)| backend.origin.max_in_flight).sum()
}

/// The backend of each way.
fn named(settings: &Settings) -> Vec<(PoolUse, BackendSettings)> {
    let mut all = Vec::new();
    for backend in settings.candidates() {
        let name = backend.name.clone();
        let rules = settings.shadow.iter().filter(|rule| rule.backend == name);
        let rules: Vec<&ShadowRule> = rules.collect();
        let copies = of_copies(backend.clone(), &rules);
        all.extend(copies.map(|copies| (PoolUse::Copies(name.clone()), copies)));
        if settings.cutover.iter().any(|rule| rule.backend == name) {
            all.push((PoolUse::Calls(name.clone()), backend));
            let copies = of_copies(settings.site(), &rules);
            all.extend(copies.map(|copies| (PoolUse::SiteCopies(name), copies)));
        }
    }
    all
}

/// The backend on the way of its copies, which is as wide as all rules together; none without a rule.
fn of_copies(mut backend: BackendSettings, rules: &[&ShadowRule]) -> Option<BackendSettings> {
    let most_bytes = rules.iter().map(|rule| rule.bytes).max()?;
    backend.origin.max_in_flight = rules.iter().map(|rule| rule.in_flight).sum();
    // Whoever has a place in the budget of a rule has a permit here.
    backend.origin.pending = Some(0);
    backend.response_bytes = most_bytes;
    backend.response_buffer_bytes = usize::try_from(most_bytes).unwrap_or(usize::MAX);
    Some(backend)
}

// === impl PoolUse ===

impl PoolUse {
    /// The name in metrics and log lines.
    fn label(&self) -> String {
        match self {
            Self::Copies(backend) => format!("{backend} (shadow)"),
            Self::SiteCopies(backend) => format!("{PRIMARY} (shadow of {backend})"),
            Self::Calls(backend) => backend.clone(),
        }
    }
}
