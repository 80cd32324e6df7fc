//! A look at the sites, so that their records are fresh for readiness.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Mutex;
use tokio::time::timeout;

use super::backends::{Backend, Backends};
use super::failure::ExchangeFailure;
use super::index_reader::NAMESPACES;
use super::own_requests::OwnRequests;
use super::shared::SharedBackends;
use crate::telemetry::unix_time;
use calendar_edge_core::settings::BackendSettings;
use calendar_edge_core::unix_time::UnixTime;

/// The sites of all roots; clones share the time of the last look.
#[derive(Debug, Clone)]
pub(crate) struct SiteHealth {
    sites: Arc<Vec<(Arc<Backend>, OwnRequests)>>,
    last: Arc<Mutex<Option<Instant>>>,
}

/// The time for which a response counts. Requests for readiness cause at most this many to the site.
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

    /// Sends a request to the sites, until one has responded, unless one did so within the last second. A site whose
    /// breaker is open gets one when the breaker allows it, so that the edge becomes ready again without other traffic.
    pub(crate) async fn look(&self) {
        let mut last = self.last.lock().await;
        if last.is_some_and(|at| at.elapsed() < FRESH) {
            return;
        }
        for (backend, requests) in self.sites.iter() {
            let look = || timeout(PATIENCE, requests.index(backend, NAMESPACES));
            if !is_fresh(backend) && look().await.is_err() {
                backend.failed(ExchangeFailure::Timeout.fault(), PATIENCE);
            }
            if is_fresh(backend) {
                break;
            }
        }
        *last = Some(Instant::now());
    }

    /// True if a backend of this name is the site, and neither a candidate nor the site as the reader of its copies.
    pub(crate) fn is_site(&self, name: &str) -> bool {
        self.sites.iter().any(|(backend, _)| backend.name() == name)
    }

    /// True if the address of a site leads back to this edge, by the last response.
    pub(crate) fn is_in_circle(&self) -> bool {
        let mut sites = self.sites.iter();
        sites.any(|(backend, _)| backend.shared.metrics.is_in_circle())
    }
}

/// True if the last exchange succeeded, a moment ago.
fn is_fresh(backend: &Backend) -> bool {
    let calls = backend.shared.metrics.calls();
    let answered = calls.last_success;
    let recent = |answered: UnixTime| unix_time().saturating_since(answered) < FRESH;
    answered.is_some_and(recent) && answered > calls.last_failure()
}
