//! The figures of this edge, of which its concerns are made.

use std::sync::Arc;

use super::pages::Pages;
use super::parts::AdminParts;
use crate::server::state_file::unwritten_in;
use crate::telemetry::{BackendMetrics, Metrics, TrafficKind, process_files, process_memory, unix_time};
use calendar_edge_core::concerns::{BackendFigures, Concern, Figures, Lately, Usage, concerns};

// === impl AdminParts ===

impl AdminParts {
    /// The concerns about this edge and its site now, the gravest first.
    pub(super) fn concerns(&self) -> Vec<Concern> {
        let pages = self.pages.load();
        concerns(&self.figures(&pages), &pages.settings, unix_time())
    }

    /// Runs of WordPress that did not happen.
    pub(super) fn runs_saved(&self) -> i64 {
        self.subjects
            .all()
            .iter()
            .map(|subject| subject.runs_saved())
            .sum()
    }

    fn figures(&self, pages: &Pages) -> Figures {
        let metrics = &self.metrics;
        let bodies =
            |(used, limit): (usize, usize)| usage(u64::try_from(used).ok(), u64::try_from(limit).ok());
        let (process, files) = (process_memory(), process_files());
        let mut figures = Figures {
            is_draining: !self.readiness.is_ready(),
            is_reload_refused: metrics.reloads().is_refused(),
            is_circle: pages.site_health.is_in_circle(),
            backends: backends(metrics, pages),
            roots: pages.roots.clone(),
            is_index_unread: metrics.indexes().is_unread(),
            lately: self.readings.lately(&self.sums()),
            certificate: metrics.certificate().expires(),
            connections: metrics.connections().usage(),
            files: usage(files.0, files.1),
            requests: bodies(self.bodies.usage()),
            responses: bodies(self.buffers.usage()),
            process: usage(process.0, process.1),
            unwritten: pages.settings.state_dir.as_deref().and_then(unwritten_in),
            untrusted_proxy: metrics.requests().proxy().found(),
            ..Figures::default()
        };
        for subject in self.subjects.all() {
            subject.add_figures(&mut figures);
        }
        figures
    }

    /// The sums of requests since the start.
    pub(super) fn sums(&self) -> Lately {
        let metrics = &self.metrics;
        let [requests, failed, overloaded] = metrics.requests().ends();
        let [logins, limited] = metrics.rate_limits().sums();
        let shed = |backend: &Arc<BackendMetrics>| {
            let shed = TrafficKind::ALL.map(|kind| backend.permits(kind).all_shed());
            (backend.name().to_owned(), shed.iter().sum())
        };
        let mut sums = Lately {
            span: self.facts.uptime(),
            requests,
            failed,
            overloaded,
            limited,
            logins,
            shed: metrics.backends().in_use().iter().map(shed).collect(),
            ..Lately::default()
        };
        for subject in self.subjects.all() {
            subject.add_sums(&mut sums);
        }
        sums
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
    let figures = |backend: &Arc<BackendMetrics>| BackendFigures {
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
