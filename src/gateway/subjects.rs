//! The list of subjects: each declares what it adds to the edge, see [`Subject`].

use std::sync::Arc;

use crate::cache::Cache;
use crate::companion::{ChangeFeed, Companions, FactsStore};
use crate::fleet::Fleet;
use crate::migration::Migration;
use crate::pages::CalendarPages;
use crate::server::Subject;
use crate::surface::SurfaceMetrics;
use crate::telemetry::{Metrics, Warnings};
use calendar_edge_core::relay::BufferBudget;
use calendar_edge_core::settings::Settings;

/// The subjects of one edge; clones share them.
#[derive(Debug, Clone)]
pub(crate) struct Subjects {
    /// The stored responses.
    pub(crate) cache: Arc<Cache>,
    /// The messages of the companion plugins, with the feed of changes and the facts of the calendar.
    pub(crate) companions: Arc<Companions>,
    /// Calendar pages.
    pub(crate) pages: Arc<CalendarPages>,
    /// Other backends.
    pub(crate) migration: Migration,
    /// The other edges.
    pub(crate) fleet: Arc<Fleet>,
    /// The rules about the rest of the site.
    pub(crate) surface: SurfaceMetrics,
}

// === impl Subjects ===

impl Subjects {
    /// Takes the state that earlier runs have kept. Dropped responses that clients still read count in `buffers`.
    pub(super) fn new(
        settings: &Settings,
        metrics: &Metrics,
        buffers: &BufferBudget,
        warnings: &Warnings,
    ) -> Self {
        let cache = Arc::new(Cache::new(&settings.cache, metrics, buffers));
        let feed = ChangeFeed::new(settings, metrics);
        let facts = FactsStore::new(settings, metrics);
        let companions = Arc::new(Companions::new(cache.clone(), feed, facts));
        let migration = Migration::new(settings, &cache, metrics);
        Self {
            pages: CalendarPages::new(settings, &companions, metrics),
            fleet: Fleet::new(settings, &companions, &migration, metrics, warnings),
            surface: metrics.register(SurfaceMetrics::new),
            cache,
            companions,
            migration,
        }
    }

    /// All of them, in the order in which they take settings. The fleet is the last: it exchanges what the others have.
    pub(crate) fn all(&self) -> [&dyn Subject; 8] {
        let Self {
            cache,
            companions,
            pages,
            migration,
            fleet,
            surface,
        } = self;
        let (feed, facts) = (&*companions.feed, &companions.facts);
        [
            &**cache,
            migration,
            &**companions,
            feed,
            facts,
            &**pages,
            surface,
            &**fleet,
        ]
    }
}
