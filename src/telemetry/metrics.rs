//! Counters and histograms of one edge. They are a value, not a global, so that a process can run several edges.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http::{Method, StatusCode};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::{Family, MetricConstructor};
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

use super::backend::{BackendFamilies, BackendMetrics};
use super::cache::CacheMetrics;
use super::certificate::CertificateMetrics;
use super::exchanges::{ExchangeFamilies, ExchangeMetrics};
use super::indexes::IndexMetrics;
use super::labels::{class_label, method_label};
use super::migration::MigrationMetrics;
use super::reloads::ReloadMetrics;

/// Upper bounds of the duration buckets, in seconds: from the edge's own refusals to the write deadline.
const BUCKETS: [f64; 12] = [
    0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0,
];

/// All metrics of one edge; clones share their values.
#[derive(Clone)]
pub(crate) struct Metrics {
    registry: Arc<Registry>,
    requests: Family<RequestLabels, Counter>,
    request_seconds: Family<OperationLabels, Histogram, Buckets>,
    findings: Family<FindingLabels, Counter>,
    exchanges: Family<ExchangeLabels, Counter>,
    exchange_seconds: Family<OperationLabels, Histogram, Buckets>,
    inflight: Gauge,
    reloads: ReloadMetrics,
    indexes: IndexMetrics,
    backends: BackendFamilies,
    further: ExchangeFamilies,
    migration: MigrationMetrics,
    rate_limited: Family<BudgetLabels, Counter>,
    cache: CacheMetrics,
    certificate: CertificateMetrics,
}

/// One answered request.
#[derive(Debug)]
pub(crate) struct Served<'a> {
    /// The operation's name, `site` or `none`.
    pub(crate) operation: &'static str,
    /// The client's method.
    pub(crate) method: &'a Method,
    /// The status of the response.
    pub(crate) status: StatusCode,
    /// The source of the response: `edge`, `cache` or `origin`.
    pub(crate) source: &'static str,
    /// Time from the head of the request to the last byte of the response.
    pub(crate) duration: Duration,
}

/// One exchange with the origin.
#[derive(Debug)]
pub(crate) struct Exchange {
    /// The operation's name or `site`.
    pub(crate) operation: &'static str,
    /// A status class, or the kind of failure.
    pub(crate) outcome: &'static str,
    /// Time from the queue to the head of the response.
    pub(crate) duration: Duration,
}

/// Counts one request as running until dropped.
#[derive(Debug)]
pub(crate) struct Inflight(Gauge);

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    operation: &'static str,
    method: &'static str,
    code_class: &'static str,
    source: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OperationLabels {
    operation: &'static str,
}

/// A violated rule, and the outcome of the request.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct FindingLabels {
    /// The operation's name.
    pub(crate) operation: &'static str,
    /// The rule, from a closed set.
    pub(crate) rule: &'static str,
    /// `enforce` or `report`.
    pub(crate) mode: &'static str,
    /// `refused` or `forwarded`.
    pub(crate) action: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ExchangeLabels {
    operation: &'static str,
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct BudgetLabels {
    budget: &'static str,
}

/// The buckets of every duration.
#[derive(Debug, Clone, Copy)]
pub(super) struct Buckets;

impl MetricConstructor<Histogram> for Buckets {
    fn new_metric(&self) -> Histogram {
        Histogram::new(BUCKETS)
    }
}

// === impl Metrics ===

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut metrics = Self {
            registry: Arc::default(),
            requests: Family::default(),
            request_seconds: Family::new_with_constructor(Buckets),
            findings: Family::default(),
            exchanges: Family::default(),
            exchange_seconds: Family::new_with_constructor(Buckets),
            inflight: Gauge::default(),
            reloads: ReloadMetrics::default(),
            indexes: IndexMetrics::default(),
            backends: BackendFamilies::default(),
            further: ExchangeFamilies::default(),
            migration: MigrationMetrics::default(),
            rate_limited: Family::default(),
            cache: CacheMetrics::default(),
            certificate: CertificateMetrics::default(),
        };
        metrics.registry = Arc::new(metrics.registered());
        metrics
    }

    fn registered(&self) -> Registry {
        let mut registry = Registry::with_prefix("edge");
        registry.register("http_requests", "Requests answered", self.requests.clone());
        registry.register_with_unit(
            "http_request_duration",
            "From a request's head to the last byte of its answer",
            Unit::Seconds,
            self.request_seconds.clone(),
        );
        registry.register(
            "validation_findings",
            "Broken rules found in requests",
            self.findings.clone(),
        );
        registry.register(
            "origin_requests",
            "Exchanges with the origin",
            self.exchanges.clone(),
        );
        registry.register_with_unit(
            "origin_request_duration",
            "From the queue toward the origin to the head of its answer",
            Unit::Seconds,
            self.exchange_seconds.clone(),
        );
        registry.register("inflight", "Requests running", self.inflight.clone());
        self.reloads.register(&mut registry);
        self.indexes.register(&mut registry);
        self.backends.register(&mut registry);
        self.further.register(&mut registry);
        self.migration.register(&mut registry);
        registry.register(
            "rate_limited",
            "Requests refused because a budget was used up",
            self.rate_limited.clone(),
        );
        self.cache.register(&mut registry);
        self.certificate.register(&mut registry);
        let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "What is running", build);
        registry
    }

    /// Counts an answered request.
    pub(crate) fn served(&self, served: &Served<'_>) {
        let labels = RequestLabels {
            operation: served.operation,
            method: method_label(served.method),
            code_class: class_label(served.status),
            source: served.source,
        };
        self.requests.get_or_create(&labels).inc();
        let labels = OperationLabels {
            operation: served.operation,
        };
        self.request_seconds
            .get_or_create(&labels)
            .observe(served.duration.as_secs_f64());
    }

    /// Counts a violated rule.
    pub(crate) fn found(&self, finding: &FindingLabels) {
        self.findings.get_or_create(finding).inc();
    }

    /// Counts an exchange with the origin.
    pub(crate) fn exchanged(&self, exchange: &Exchange) {
        let labels = ExchangeLabels {
            operation: exchange.operation,
            outcome: exchange.outcome,
        };
        self.exchanges.get_or_create(&labels).inc();
        let labels = OperationLabels {
            operation: exchange.operation,
        };
        self.exchange_seconds
            .get_or_create(&labels)
            .observe(exchange.duration.as_secs_f64());
    }

    /// The metrics of a backend; its name comes from the settings.
    pub(crate) fn backend(&self, name: &str) -> BackendMetrics {
        self.backends.of(name)
    }

    /// The counts of exchanges with a backend beside the site; its name comes from the settings.
    pub(crate) fn exchanges_of(&self, name: &str) -> ExchangeMetrics {
        self.further.of(name)
    }

    /// The metrics of copies and cut-over calls.
    pub(crate) fn migration(&self) -> &MigrationMetrics {
        &self.migration
    }

    /// Counts a request above its rate limit.
    pub(crate) fn rate_limited(&self, budget: &'static str) {
        self.rate_limited.get_or_create(&BudgetLabels { budget }).inc();
    }

    /// Counts a request as running while the guard lives.
    pub(crate) fn begin(&self) -> Inflight {
        self.inflight.inc();
        Inflight(self.inflight.clone())
    }

    /// The metrics of the cache.
    pub(crate) fn cache(&self) -> &CacheMetrics {
        &self.cache
    }

    /// The metric of the certificate.
    pub(crate) fn certificate(&self) -> &CertificateMetrics {
        &self.certificate
    }

    /// The metrics of reading the sites' indexes.
    pub(crate) fn indexes(&self) -> &IndexMetrics {
        &self.indexes
    }

    /// The metrics of reloads.
    pub(crate) fn reloads(&self) -> &ReloadMetrics {
        &self.reloads
    }

    /// All metrics in the Prometheus text format.
    pub(crate) fn render(&self) -> String {
        let mut text = String::new();
        encode(&mut text, &self.registry).expect("writing to a string cannot fail");
        text
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

impl Drop for Inflight {
    fn drop(&mut self) {
        self.0.dec();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_labels_are_stable() {
        let metrics = Metrics::new();
        let _running = metrics.begin();
        let _backend = metrics.backend("http://wp.example");
        metrics.served(&Served {
            operation: "events.list",
            method: &Method::GET,
            status: StatusCode::OK,
            source: "origin",
            duration: Duration::from_millis(20),
        });
        metrics.exchanged(&Exchange {
            operation: "events.list",
            outcome: "2xx",
            duration: Duration::from_millis(20),
        });
        let text = metrics.render();
        for line in [
            r#"edge_http_requests_total{operation="events.list",method="GET",code_class="2xx",source="origin"} 1"#,
            r#"edge_http_request_duration_seconds_count{operation="events.list"} 1"#,
            r#"edge_origin_requests_total{operation="events.list",outcome="2xx"} 1"#,
            r#"edge_origin_request_duration_seconds_count{operation="events.list"} 1"#,
            "edge_inflight 1",
            r#"edge_config_reloads_total{result="success"} 0"#,
            r#"edge_config_reloads_total{result="failure"} 0"#,
            "edge_config_last_reload_success_timestamp_seconds 0",
            r#"edge_origin_breaker_state{backend="http://wp.example"} 0"#,
            concat!(
                r#"edge_build_info{version=""#,
                env!("CARGO_PKG_VERSION"),
                r#""} 1"#
            ),
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
    }

    #[test]
    fn a_running_request_is_counted_until_it_ends() {
        let metrics = Metrics::new();
        drop(metrics.begin());
        assert!(metrics.render().contains("edge_inflight 0"));
    }
}
