//! The routes that the site publishes, and how they are called.

use std::sync::Arc;

use http::StatusCode;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use url::Url;

use super::wall_clock::unix_time;
use calendar_edge_core::gateway::surface::SurfaceRequest;
use calendar_edge_core::surface::{CallKind, ListedRoutes, SurfaceCounts, SurfaceReport, SurfaceScope};
use calendar_edge_core::unix_time::UnixTime;
use calendar_edge_judge::routing::SiteTarget;

/// The routes of one site and their calls; clones share them.
#[derive(Debug, Clone)]
pub(crate) struct SiteSurface(Arc<Mutex<KnownSurface>>);

#[derive(Debug)]
struct KnownSurface {
    root: Url,
    /// None until the site's list is read.
    routes: Option<Arc<ListedRoutes>>,
    counts: SurfaceCounts,
}

/// Counts of an earlier run.
#[derive(Serialize, Deserialize)]
struct KeptCounts {
    root: Url,
    /// When they were kept, in Unix time.
    at: u64,
    counts: SurfaceCounts,
}

// === impl SiteSurface ===

impl SiteSurface {
    /// Begins to count the calls of the site with this REST root.
    pub(crate) fn new(root: &Url) -> Self {
        Self(Arc::new(Mutex::new(KnownSurface::new(root))))
    }

    /// Begins anew if the settings name another site.
    pub(crate) fn adapt(&self, root: &Url) {
        let mut known = self.0.lock();
        if known.root != *root {
            *known = KnownSurface::new(root);
        }
    }

    /// Takes the list of the site with this root.
    pub(crate) fn learn(&self, root: &Url, routes: ListedRoutes) {
        let mut known = self.0.lock();
        if known.root == *root {
            known.routes = Some(Arc::new(routes));
        }
    }

    /// The REST root of the site.
    pub(crate) fn root(&self) -> Url {
        self.0.lock().root.clone()
    }

    /// Returns true if the site's list is known.
    pub(crate) fn is_listed(&self) -> bool {
        self.0.lock().routes.is_some()
    }

    /// Counts a request to the rest of the site that gets this status. Pages are not counted.
    pub(crate) fn count(&self, request: &SurfaceRequest<'_>, status: StatusCode) {
        if request.target == SiteTarget::Page {
            return;
        }
        let kind = CallKind {
            is_write: !request.method.is_safe(),
            has_credentials: request.has_credentials(),
            outcome: status.into(),
        };
        let now = unix_time();
        let mut known = self.0.lock();
        let KnownSurface { routes, counts, .. } = &mut *known;
        if let Some(door) = ListedRoutes::door(routes.as_deref(), &request.target) {
            counts.count(door, kind, now);
        }
    }

    /// The counts as a text to keep.
    pub(crate) fn kept(&self) -> String {
        let known = self.0.lock();
        let kept = KeptCounts {
            root: known.root.clone(),
            at: unix_time().as_secs(),
            counts: known.counts.clone(),
        };
        drop(known);
        serde_json::to_string(&kept).expect("numbers and names are JSON")
    }

    /// Takes up counts that were kept a short while ago, if they are about the same site.
    pub(crate) fn resume(&self, kept: &[u8]) {
        let Ok(kept) = serde_json::from_slice::<KeptCounts>(kept) else {
            return;
        };
        let mut known = self.0.lock();
        let counts = kept.counts.resumed(UnixTime::from_secs(kept.at), unix_time());
        if let (Some(counts), true) = (counts, known.root == kept.root) {
            known.counts = counts;
        }
    }

    /// The report about the site, with what was counted where the edge serves all of it.
    pub(crate) fn report(&self, scope: &SurfaceScope) -> SurfaceReport {
        let now = unix_time();
        let known = self.0.lock();
        let (routes, sums) = (known.routes.clone(), known.counts.sums(now));
        let site = known.root.clone();
        drop(known);
        if !scope.is_served() {
            return SurfaceReport::unserved(site.as_str(), scope);
        }
        SurfaceReport::of_site(site.as_str(), routes.as_deref(), scope).counted(sums, scope)
    }
}

// === impl KnownSurface ===

impl KnownSurface {
    fn new(root: &Url) -> Self {
        let mut counts = SurfaceCounts::default();
        counts.begin(unix_time());
        Self {
            root: root.clone(),
            routes: None,
            counts,
        }
    }
}
