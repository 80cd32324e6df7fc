//! Whether any site responds, for the readiness of the edge.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Mutex;
use tokio::time::timeout;

use super::backends::{Backend, Backends};
use super::own_requests::OwnRequests;
use super::shared::SharedBackends;
use crate::telemetry::unix_time;
use calendar_edge_core::settings::BackendSettings;
use calendar_edge_core::unix_time::UnixTime;

/// The sites of all roots; clones share what was found last.
#[derive(Debug, Clone)]
pub(crate) struct SiteHealth {
    sites: Arc<Vec<(Arc<Backend>, OwnRequests)>>,
    last: Arc<Mutex<Option<(Instant, bool)>>>,
}

/// The time for which a response counts. Whoever asks for readiness asks the site at most this often.
const FRESH: Duration = Duration::from_secs(1);

/// The longest wait for one site.
const PATIENCE: Duration = Duration::from_secs(2);

// === impl SiteHealth ===

impl SiteHealth {
    /// The roots of the site; `shared` must be adapted to the same settings.
    pub(crate) fn new(site: &BackendSettings, shared: &SharedBackends) -> Self {
        let backends = Backends::new(site, shared);
        let mut sites: Vec<(Arc<Backend>, OwnRequests)> = Vec::new();
        for (position, root) in site.roots.iter().enumerate() {
            let backend = backends.for_root(position);
            if !sites.iter().any(|(known, _)| known.name() == backend.name()) {
                sites.push((
                    Arc::clone(backend),
                    OwnRequests::new(&site.origin, &root.origin_url, None),
                ));
            }
        }
        Self {
            sites: Arc::new(sites),
            last: Arc::default(),
        }
    }

    /// Returns true if a site responded within the last second, or responds now. A site whose breaker is open is asked as
    /// the breaker allows, so that the edge becomes ready again without other traffic.
    pub(crate) async fn any(&self) -> bool {
        let mut last = self.last.lock().await;
        if let Some((at, found)) = *last
            && at.elapsed() < FRESH
        {
            return found;
        }
        let mut found = false;
        for (backend, requests) in self.sites.iter() {
            if found {
                break;
            }
            found = is_fresh(backend) || answers(backend, requests).await;
        }
        *last = Some((Instant::now(), found));
        found
    }

    /// True if the address of a site leads back to this edge. A site of which that was so is asked again.
    pub(crate) async fn leads_back(&self) -> bool {
        let is_in_circle = || {
            let mut sites = self.sites.iter();
            sites.any(|(backend, _)| backend.shared.metrics.is_in_circle())
        };
        if is_in_circle() {
            self.any().await;
        }
        is_in_circle()
    }
}

/// True if the last read got its response, a moment ago.
fn is_fresh(backend: &Backend) -> bool {
    let (answered, failed) = backend.shared.metrics.last_reads();
    let recent = |answered: UnixTime| unix_time().saturating_since(answered) < FRESH;
    answered.is_some_and(recent) && answered > failed
}

async fn answers(backend: &Backend, requests: &OwnRequests) -> bool {
    timeout(PATIENCE, requests.is_answered(backend))
        .await
        .unwrap_or(false)
}
