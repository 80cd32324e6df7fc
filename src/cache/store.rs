//! The stored responses and their removal, as one value that survives every reload.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use arc_swap::{ArcSwap, ArcSwapOption};
use moka::sync::Cache as Moka;

use super::metrics::CacheMetrics;
use super::removal_log::RemovalLog;
use super::site_clock::SiteClock;
use crate::calls::StoredResponse;
use crate::companion::Invalidates;
use crate::telemetry::Metrics;
use calendar_edge_core::cache::{CompanionSigns, Removal, RemovalCause, Serving};
use calendar_edge_core::relay::BufferBudget;
use calendar_edge_core::settings::CacheSettings;
use calendar_edge_core::unix_time::UnixTime;

/// The cache.
#[derive(Debug)]
pub(crate) struct Cache {
    settings: ArcSwap<CacheSettings>,
    responses: ArcSwap<StoredResponses>,
    generations: RemovalLog,
    /// The last signs of the companion plugin, if there was any.
    companion: ArcSwapOption<CompanionSigns>,
    /// The zone of the site.
    pub(crate) clock: SiteClock,
    pub(crate) metrics: CacheMetrics,
    /// Pays for dropped responses that clients still read.
    pub(super) buffers: BufferBudget,
    has_stored: AtomicBool,
}

/// The responses, within a bound of memory that is fixed when this is made.
pub(super) type StoredResponses = Moka<String, Arc<StoredResponse>>;

// === impl Cache ===

impl Cache {
    /// An empty cache within the bounds of the settings. Dropped responses that clients still read count in `buffers`.
    pub(crate) fn new(settings: &CacheSettings, metrics: &Metrics, buffers: &BufferBudget) -> Self {
        let metrics = metrics.register(CacheMetrics::new);
        metrics.expect();
        Self {
            settings: ArcSwap::from_pointee(settings.clone()),
            responses: ArcSwap::from_pointee(responses(settings.memory, metrics.clone())),
            generations: RemovalLog::new(),
            companion: ArcSwapOption::empty(),
            clock: SiteClock::default(),
            metrics,
            buffers: buffers.clone(),
            has_stored: AtomicBool::new(false),
        }
    }

    /// Takes new settings. A cache that is switched off forgets; another bound of memory keeps what fits.
    pub(super) fn take(&self, settings: &CacheSettings) {
        let old = self.settings.swap(Arc::new(settings.clone()));
        if !settings.enabled {
            self.responses().invalidate_all();
        }
        if old.memory != settings.memory {
            let next = responses(settings.memory, self.metrics.clone());
            for (key, stored) in self.responses().iter() {
                next.insert((*key).clone(), stored);
            }
            self.responses.store(Arc::new(next));
        }
    }

    /// The settings in use.
    pub(crate) fn settings(&self) -> CacheSettings {
        CacheSettings::clone(&self.settings.load())
    }

    /// The generation of the last removal: a response requested from now on is not older.
    pub(crate) fn generation(&self) -> u64 {
        self.generations.current()
    }

    /// The response for a key, and how it may be served at a time; none if there is nothing that may be served.
    pub(crate) fn find(&self, key: &str, now: UnixTime) -> Option<(Arc<StoredResponse>, Serving)> {
        let stored = self.responses().get(key)?;
        let serving = self.serving(&stored, now);
        if serving == Serving::Expired || !self.holds(&stored) {
            self.responses().invalidate(key);
            return None;
        }
        Some((stored, serving))
    }

    /// The way in which a response may be served at a time.
    pub(crate) fn serving(&self, stored: &StoredResponse, now: UnixTime) -> Serving {
        let settings = self.settings.load();
        settings.serving(&stored.fill.filled, self.companion(), now)
    }

    /// True if nothing that a response depends on was removed since it was requested.
    pub(crate) fn holds(&self, stored: &StoredResponse) -> bool {
        self.generations.holds(&stored.fill.dependencies, &stored.checked)
    }

    /// Keeps a response, unless something that it depends on was removed since it was requested. Returns true if it is
    /// stored.
    pub(crate) fn keep(&self, key: &str, stored: &Arc<StoredResponse>) -> bool {
        let holds = self.holds(stored);
        if holds {
            // A removal between this line and the last is seen by the caller that finds the response.
            self.responses().insert(key.to_owned(), Arc::clone(stored));
            self.has_stored.store(true, Ordering::Relaxed);
        }
        holds
    }

    /// Removes responses at once, without counting them. Returns the generation that this begins.
    pub(crate) fn begin_removal(&self, removal: &Removal, cause: RemovalCause) -> u64 {
        if *removal == Removal::All {
            self.clock.doubt();
        }
        self.metrics.removed(cause);
        self.generations.remove(&removal.with_collections())
    }

    /// The signs of the companion plugin.
    pub(crate) fn companion(&self) -> Option<CompanionSigns> {
        self.companion.load().as_deref().copied()
    }

    pub(super) fn responses(&self) -> arc_swap::Guard<Arc<StoredResponses>> {
        self.responses.load()
    }
}

impl Invalidates for Cache {
    fn begin_removal(&self, removal: &Removal, cause: RemovalCause) -> u64 {
        self.begin_removal(removal, cause)
    }

    /// The time grows with the number of all stored responses.
    fn drop_removed(&self) -> usize {
        let outdated: Vec<Arc<String>> = self
            .responses()
            .iter()
            .filter(|(_, stored)| !self.holds(stored))
            .map(|(key, _)| key)
            .collect();
        for key in &outdated {
            self.responses().invalidate(key.as_str());
        }
        outdated.len()
    }

    fn companion_seen(&self, at: UnixTime, is_unbroken: bool) {
        self.companion.rcu(|signs| {
            let known = signs.as_deref().copied();
            Some(Arc::new(CompanionSigns::after(known, at, is_unbroken)))
        });
    }

    fn has_stored(&self) -> bool {
        self.has_stored.load(Ordering::Relaxed)
    }

    fn reconcile(&self) -> Duration {
        self.settings.load().reconcile
    }

    fn companion_is_silent(&self, is_silent: bool) {
        self.metrics.companion_is_silent(is_silent);
    }
}

fn responses(memory: u64, metrics: CacheMetrics) -> StoredResponses {
    Moka::builder()
        .max_capacity(memory)
        .weigher(|key: &String, stored: &Arc<StoredResponse>| stored.weight(key))
        .eviction_listener(move |_, _, cause| {
            if cause.was_evicted() {
                metrics.evicted();
            }
        })
        .build()
}
