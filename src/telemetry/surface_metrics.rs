//! How often rules about the rest of the site took requests, what became of these, and what judging their arguments came to.

use std::sync::Arc;

use parking_lot::RwLock;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;

use super::schema_disagreements::SchemaDisagreements;
use super::series::Series;
use super::table::{SURFACE_REQUESTS, SURFACE_UNCLEAR, SURFACE_VERDICTS};
use calendar_edge_core::companion::site_contract::SiteOutcome;

/// What becomes of a request that a rule takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SurfaceOutcome {
    /// It passes the rule.
    Passed,
    /// It passes only because the rule reports.
    Reported,
    /// Its caller does not pass.
    Refused,
    /// It is beyond the rate.
    Limited,
}

/// The metrics of these rules; clones share their values.
#[derive(Debug, Clone)]
pub(crate) struct SurfaceMetrics {
    requests: Series<Counter, 2>,
    unclear: Counter,
    verdicts: Series<Counter, 2>,
    namespaces: Arc<RwLock<Vec<Arc<str>>>>,
    disagreements: SchemaDisagreements,
}

/// The most namespaces that are told apart.
const MOST_NAMESPACES: usize = 64;

// === impl SurfaceOutcome ===

impl SurfaceOutcome {
    const ALL: [Self; 4] = [Self::Passed, Self::Reported, Self::Refused, Self::Limited];

    /// The word in logs and metrics.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Reported => "reported",
            Self::Refused => "refused",
            Self::Limited => "limited",
        }
    }
}

// === impl SurfaceMetrics ===

impl SurfaceMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        Self {
            requests: SURFACE_REQUESTS.series(registry),
            unclear: SURFACE_UNCLEAR.value(registry),
            verdicts: SURFACE_VERDICTS.series(registry),
            namespaces: Arc::default(),
            disagreements: SchemaDisagreements::default(),
        }
    }

    /// Creates the series of a rule with zero.
    pub(crate) fn expect(&self, rule: &str) {
        for outcome in SurfaceOutcome::ALL {
            self.of(rule, outcome);
        }
    }

    /// Counts a request that a rule took.
    pub(crate) fn took(&self, rule: &str, outcome: SurfaceOutcome) {
        self.of(rule, outcome).inc();
    }

    /// Counts a request of which it cannot be told whether a rule takes it.
    pub(crate) fn unclear(&self) {
        self.unclear.inc();
    }

    /// Counts what the verdict on the arguments of a request came to.
    pub(crate) fn judged(&self, namespace: &str, outcome: SiteOutcome) {
        let namespace = self.known(namespace);
        self.verdicts
            .of([(&namespace).into(), <&'static str>::from(outcome).into()])
            .inc();
    }

    /// The last requests that the site answered in another way than its schemas say.
    pub(crate) fn disagreements(&self) -> &SchemaDisagreements {
        &self.disagreements
    }

    /// The label of a namespace: those that come late share one.
    fn known(&self, namespace: &str) -> Arc<str> {
        let find = |known: &[Arc<str>]| known.iter().find(|name| ***name == *namespace).cloned();
        if let Some(name) = find(&self.namespaces.read()) {
            return name;
        }
        let mut known = self.namespaces.write();
        if known.len() >= MOST_NAMESPACES {
            return "other".into();
        }
        let name: Arc<str> = namespace.into();
        known.push(Arc::clone(&name));
        name
    }

    fn of(&self, rule: &str, outcome: SurfaceOutcome) -> Counter {
        let rule: Arc<str> = rule.into();
        self.requests.of([(&rule).into(), outcome.name().into()])
    }
}
