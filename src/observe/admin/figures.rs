//! The figures of this edge, of which its concerns are made.

use std::time::Duration;

use super::pages::Pages;
use super::parts::AdminParts;
use crate::server::state_file::unwritten_in;
use crate::telemetry::{BackendMetrics, Metrics, TrafficKind, process_files, process_memory, unix_time};
use calendar_edge_core::concerns::{
    BackendFigures, CompanionState, Concern, Figures, Lately, Usage, concerns,
};

// === impl AdminParts ===

impl AdminParts {
    /// The concerns about this edge and its site now, the gravest first.
    pub(super) fn concerns(&self) -> Vec<Concern> {
        let pages = self.pages.load();
        concerns(&self.figures(&pages), &pages.settings, unix_time())
    }

    /// Runs of WordPress that did not happen.
    pub(super) fn runs_saved(&self) -> i64 {
        self.metrics.cache().runs_saved() + self.metrics.pages().runs_saved()
    }

    fn figures(&self, pages: &Pages) -> Figures {
        let metrics = &self.metrics;
        let (stopped_by, hindrance) = self.calendar_pages.obstacles();
        let bodies =
            |(used, limit): (usize, usize)| usage(u64::try_from(used).ok(), u64::try_from(limit).ok());
        let (process, files) = (process_memory(), process_files());
        Figures {
            is_draining: !self.readiness.is_ready(),
            is_reload_refused: metrics.reloads().is_refused(),
            is_circle: pages.site_health.is_in_circle(),
            backends: backends(metrics, pages),
            roots: pages.roots.clone(),
            is_index_unread: metrics.indexes().is_unread(),
            lately: self.readings.lately(&lately(self.facts.uptime(), metrics)),
            companion: if self.cache.metrics().is_companion_silent() {
                CompanionState::Missed
            } else {
                self.cache.site_companion(unix_time())
            },
            returned: self.migration.returned(),
            fleet: self.fleet.figures(),
            certificate: metrics.certificate().expires(),
            stopped_by,
            hindrance,
            connections: metrics.connections().usage(),
            files: usage(files.0, files.1),
            requests: bodies(self.bodies.usage()),
            responses: bodies(self.buffers.usage()),
            process: usage(process.0, process.1),
            unwritten: pages.settings.state_dir.as_deref().and_then(unwritten_in),
            untrusted_proxy: metrics.requests().proxy().found(),
        }
    }
}

/// The sums of requests since the start, which is this long ago.
pub(super) fn lately(uptime: Duration, metrics: &Metrics) -> Lately {
    let [requests, failed, overloaded] = metrics.requests().ends();
    let [logins, limited] = metrics.rate_limits().sums();
    let robots = metrics.pages().sums().get("limited").copied();
    let backends = metrics.backends().in_use();
    let shed = |backend: &BackendMetrics| {
        let shed = TrafficKind::ALL.map(|kind| backend.permits(kind).all_shed());
        (backend.name().to_owned(), shed.iter().sum())
    };
    Lately {
        span: uptime,
        requests,
        failed,
        overloaded,
        limited,
        logins,
        robots: robots.unwrap_or_default(),
        shed: backends.iter().map(shed).collect(),
        webhooks: metrics.feed().deliveries(),
    }
}

/// The site and the candidates in use, the site first.
fn backends(metrics: &Metrics, pages: &Pages) -> Vec<BackendFigures> {
    let is_candidate = |name: &str| {
        pages
            .settings
            .backends
            .iter()
            .any(|candidate| candidate.name == name)
    };
    let figures = |backend: &BackendMetrics| BackendFigures {
        name: backend.name().to_owned(),
        is_site: pages.site_health.is_site(backend.name()),
        breaker: backend.breaker(),
        calls: backend.calls(),
        pages: backend.pages(),
        traffic: TrafficKind::ALL
            .map(|kind| (kind.label(), backend.permits(kind).usage()))
            .into(),
    };
    let mut found: Vec<_> = metrics.backends().in_use().iter().map(figures).collect();
    found.retain(|backend| backend.is_site || is_candidate(&backend.name));
    found.sort_by_key(|backend| !backend.is_site);
    found
}

fn usage(used: Option<u64>, limit: Option<u64>) -> Usage {
    Usage {
        used: used.unwrap_or_default(),
        limit: limit.unwrap_or_default(),
    }
}
