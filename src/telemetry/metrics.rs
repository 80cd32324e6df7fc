//! Counters and histograms of one edge. They are a value, not a global, so that a process can run several edges.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use prometheus_client::encoding::text::{encode_eof, encode_registry};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;

use super::backend::{BackendFamilies, BackendMetrics};
use super::cache_metrics::CacheMetrics;
use super::certificate::CertificateMetrics;
use super::clients::ClientSums;
use super::connections::ConnectionMetrics;
use super::drift::DriftMetrics;
use super::exchanges::{Exchange, ExchangeFamilies, ExchangeMetrics};
use super::feed_metrics::FeedMetrics;
use super::finding_labels::FindingLabels;
use super::fleet_metrics::FleetMetrics;
use super::indexes::IndexMetrics;
use super::memory::MemoryMetrics;
use super::migration::MigrationMetrics;
use super::permits::GaugeGuard;
use super::process::ProcessFigures;
use super::rate_limits::RateLimitMetrics;
use super::reloads::ReloadMetrics;
use super::requests::RequestMetrics;
use super::series::Series;
use super::site_verdict::OUTCOMES;
use super::spans::SpanMetrics;
use super::surface_metrics::SurfaceMetrics;
use super::table::{INFLIGHT, REPORTED_REQUESTS, VALIDATION_FINDINGS};
use calendar_edge_core::settings::Settings;

/// All metrics of one edge; clones share their values.
#[derive(Clone)]
pub(crate) struct Metrics {
    registry: Arc<Registry>,
    /// Metrics whose names begin with `process_` instead.
    process: Arc<Registry>,
    requests: RequestMetrics,
    clients: ClientSums,
    findings: Series<Counter, 4>,
    reported: Series<Counter, 1>,
    exchanges: ExchangeMetrics,
    exchange_families: ExchangeFamilies,
    inflight: Gauge,
    reloads: ReloadMetrics,
    indexes: IndexMetrics,
    drift: DriftMetrics,
    backends: BackendFamilies,
    migration: MigrationMetrics,
    feed: FeedMetrics,
    fleet: FleetMetrics,
    rate_limits: RateLimitMetrics,
    connections: ConnectionMetrics,
    memory: MemoryMetrics,
    cache: CacheMetrics,
    certificate: CertificateMetrics,
    surface: SurfaceMetrics,
    /// Registered in each build, so that every build shows the same series.
    spans: SpanMetrics,
}

// === impl Metrics ===

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("edge");
        let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "What is running", build);
        let exchange_families = ExchangeFamilies::new(&mut registry);
        Self {
            process: Arc::new(process()),
            requests: RequestMetrics::new(&mut registry),
            clients: ClientSums::default(),
            findings: VALIDATION_FINDINGS.series(&mut registry),
            reported: REPORTED_REQUESTS.series(&mut registry).with(&OUTCOMES),
            exchanges: exchange_families.of_site(),
            exchange_families,
            inflight: INFLIGHT.value(&mut registry),
            reloads: ReloadMetrics::new(&mut registry),
            indexes: IndexMetrics::new(&mut registry),
            drift: DriftMetrics::new(&mut registry),
            backends: BackendFamilies::new(&mut registry),
            migration: MigrationMetrics::new(&mut registry),
            feed: FeedMetrics::new(&mut registry),
            fleet: FleetMetrics::new(&mut registry),
            rate_limits: RateLimitMetrics::new(&mut registry),
            connections: ConnectionMetrics::new(&mut registry),
            memory: MemoryMetrics::new(&mut registry),
            cache: CacheMetrics::new(&mut registry),
            certificate: CertificateMetrics::new(&mut registry),
            surface: SurfaceMetrics::new(&mut registry),
            spans: SpanMetrics::new(&mut registry),
            registry: Arc::new(registry),
        }
    }

    /// Creates the series of these settings with zero, so that "none" differs from "no data".
    ///
    /// Findings have a series for each rule of an operation in the mode in force; the other modes' come with them.
    pub(crate) fn expect(&self, settings: &Settings) {
        self.requests
            .expect(&settings.roots, !settings.rate_limits.are_unset());
        for labels in FindingLabels::expected(settings) {
            self.findings.expect(labels.labels());
        }
    }

    /// The metrics of requests.
    pub(crate) fn requests(&self) -> &RequestMetrics {
        &self.requests
    }

    /// The requests of the last minutes by client; no metric, since addresses are no labels.
    pub(crate) fn clients(&self) -> &ClientSums {
        &self.clients
    }

    /// The metrics of rules about the rest of the site.
    pub(crate) fn surface(&self) -> &SurfaceMetrics {
        &self.surface
    }

    /// The metrics of client connections.
    pub(crate) fn connections(&self) -> &ConnectionMetrics {
        &self.connections
    }

    /// The metrics of bodies in memory.
    pub(crate) fn memory(&self) -> &MemoryMetrics {
        &self.memory
    }

    /// The metrics of the feed of changes.
    pub(crate) fn feed(&self) -> &FeedMetrics {
        &self.feed
    }

    /// The metrics of the fleet.
    pub(crate) fn fleet(&self) -> &FleetMetrics {
        &self.fleet
    }

    /// The metrics of rate limits.
    pub(crate) fn rate_limits(&self) -> &RateLimitMetrics {
        &self.rate_limits
    }

    /// Counts a violated rule.
    pub(crate) fn found(&self, finding: &FindingLabels) {
        self.findings.add(finding.labels(), 1);
    }

    /// Counts the site's answer to a forwarded request that `enforce` would refuse: `answered`, `refused` or `failed`.
    pub(crate) fn reported(&self, outcome: &'static str) {
        self.reported.add([outcome.into()], 1);
    }

    /// The answers of the site to forwarded requests that `enforce` would refuse, by their outcome.
    pub(crate) fn reported_requests(&self) -> BTreeMap<&'static str, u64> {
        let counted = self.reported.sums(|[site]| site.word());
        counted.into_iter().collect()
    }

    /// How often each rule was broken, and what became of the request: rule, action, count.
    pub(crate) fn broken_rules(&self) -> Vec<(&'static str, &'static str, u64)> {
        let sums = self
            .findings
            .sums(|[_, rule, _, action]| (rule.word(), action.word()));
        let sums = sums.into_iter();
        sums.map(|((rule, action), count)| (rule, action, count))
            .collect()
    }

    /// The requests that run.
    pub(crate) fn running(&self) -> i64 {
        self.inflight.get()
    }

    /// Counts an exchange with the site.
    pub(crate) fn exchanged(&self, exchange: &Exchange) {
        self.exchanges.exchanged(exchange);
    }

    /// The metrics of a backend; its name comes from the settings.
    pub(crate) fn backend(&self, name: &str) -> BackendMetrics {
        self.backends.of(name)
    }

    /// The metrics of all backends in use, by name.
    pub(crate) fn backends(&self) -> Vec<BackendMetrics> {
        self.backends.in_use()
    }

    /// The counts of exchanges with a backend beside the site; its name comes from the settings.
    pub(crate) fn exchanges_of(&self, name: &str) -> ExchangeMetrics {
        self.exchange_families.of(name)
    }

    /// The metrics of copies and cut-over calls.
    pub(crate) fn migration(&self) -> &MigrationMetrics {
        &self.migration
    }

    /// Counts a request as running while the guard lives.
    pub(crate) fn begin(&self) -> GaugeGuard {
        GaugeGuard::raise(&self.inflight)
    }

    /// The metrics of the cache.
    pub(crate) fn cache(&self) -> &CacheMetrics {
        &self.cache
    }

    /// The metric of the certificate.
    pub(crate) fn certificate(&self) -> &CertificateMetrics {
        &self.certificate
    }

    /// The fates of spans.
    pub(crate) fn spans(&self) -> &SpanMetrics {
        &self.spans
    }

    /// The metrics of reading the sites' indexes.
    pub(crate) fn indexes(&self) -> &IndexMetrics {
        &self.indexes
    }

    /// The metrics of differences between backends and the table.
    pub(crate) fn drift(&self) -> &DriftMetrics {
        &self.drift
    }

    /// The metrics of reloads.
    pub(crate) fn reloads(&self) -> &ReloadMetrics {
        &self.reloads
    }

    /// All metrics in the Prometheus text format.
    pub(crate) fn render(&self) -> String {
        let mut text = String::new();
        encode_registry(&mut text, &self.registry)
            .and_then(|()| encode_registry(&mut text, &self.process))
            .and_then(|()| encode_eof(&mut text))
            .expect("writing to a string cannot fail");
        text
    }
}

fn process() -> Registry {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(ProcessFigures::new()));
    registry
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::request_log::BackendTimes;
    use super::super::requests::Served;
    use super::*;

    #[test]
    fn names_and_labels_are_stable() {
        let metrics = Metrics::new();
        let _running = metrics.begin();
        let _backend = metrics.backend("http://wp.example");
        let root = Arc::from("/wp-json");
        metrics.expect(&Settings::for_origin(
            "http://wp.example/wp-json".parse().unwrap(),
        ));
        metrics.requests().served(&Served {
            operation: "events.list",
            root: Some(&root),
            status: 200,
            source: "backend",
            duration: Duration::from_millis(20),
            bytes: 7,
            received: 0,
            edge: Duration::from_millis(1),
            backend: Some(BackendTimes {
                queue: Duration::ZERO,
                backend: Duration::from_millis(19),
            }),
        });
        metrics.exchanged(&Exchange {
            operation: "events.list",
            outcome: "2xx",
            duration: Duration::from_millis(20),
        });
        let text = metrics.render();
        for line in [
            r#"edge_http_requests_total{operation="events.list",root="/wp-json",source="backend",status="200"} 1"#,
            r#"edge_http_requests_total{operation="venues.list",root="/wp-json",source="edge",status="503"} 0"#,
            r#"edge_http_request_phase_seconds_count{phase="queue"} 1"#,
            r#"edge_http_response_body_bytes_total{source="backend"} 7"#,
            r#"edge_connections_ended_total{reason="tls_handshake"} 0"#,
            r#"edge_rate_limited_total{budget="address-lists"} 0"#,
            "\nprocess_start_time_seconds ",
            r#"edge_http_request_duration_seconds_count{kind="list"} 1"#,
            r#"edge_origin_requests_total{kind="list",outcome="2xx"} 1"#,
            r#"edge_origin_request_duration_seconds_count{kind="list"} 1"#,
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
