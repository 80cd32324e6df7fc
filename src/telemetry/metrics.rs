//! Counters and histograms of one edge. They are a value, not a global, so that a process can run several edges.

use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;
use prometheus_client::encoding::text::{encode_eof, encode_registry};
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;

use super::backend::BackendFamilies;
use super::certificate::CertificateMetrics;
use super::concern_metrics::ConcernMetrics;
use super::connections::ConnectionMetrics;
use super::exchanges::ExchangeFamilies;
use super::indexes::IndexMetrics;
use super::memory::MemoryMetrics;
use super::process::ProcessFigures;
use super::rate_limits::RateLimitMetrics;
use super::reloads::ReloadMetrics;
use super::requests::RequestMetrics;
use super::translations::TranslationMetrics;

/// Declares the metrics that belong to no subject: recorders, of which each registers its own metrics.
macro_rules! recorders {
    ($($(#[$about:meta])+ $recorder:ident: $kind:ty,)+) => {
        /// All metrics of one edge; clones share their values.
        #[derive(Clone)]
        pub(crate) struct Metrics {
            registry: Arc<Mutex<Registry>>,
            /// Metrics whose names begin with `process_` instead.
            process: Arc<Registry>,
            $($recorder: $kind,)+
        }

        impl Metrics {
            fn registered(mut registry: Registry, process: Registry) -> Self {
                Self {
                    $($recorder: <$kind>::new(&mut registry),)+
                    registry: Arc::new(Mutex::new(registry)),
                    process: Arc::new(process),
                }
            }

            $($(#[$about])+
            pub(crate) const fn $recorder(&self) -> &$kind {
                &self.$recorder
            })+
        }
    };
}

recorders! {
    /// The metrics of requests.
    requests: RequestMetrics,
    /// The metrics of exchanges with backends.
    exchanges: ExchangeFamilies,
    /// The metrics of reloads.
    reloads: ReloadMetrics,
    /// The metrics of reading the sites' indexes.
    indexes: IndexMetrics,
    /// The metrics of all backends.
    backends: BackendFamilies,
    /// The metrics of rate limits.
    rate_limits: RateLimitMetrics,
    /// The metrics of client connections.
    connections: ConnectionMetrics,
    /// The metrics of bodies in memory.
    memory: MemoryMetrics,
    /// The metric of the certificate.
    certificate: CertificateMetrics,
    /// The metrics of concerns.
    concerns: ConcernMetrics,
    /// The metrics of translations.
    translations: TranslationMetrics,
}

// === impl Metrics ===

impl Metrics {
    pub(crate) fn new() -> Self {
        let (mut registry, mut process) = (Registry::with_prefix("edge"), Registry::default());
        let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "What is running", build);
        process.register_collector(Box::new(ProcessFigures::new()));
        Self::registered(registry, process)
    }

    /// Registers the metrics of a subject, once in the life of an edge.
    pub(crate) fn register<M>(&self, new: impl FnOnce(&mut Registry) -> M) -> M {
        new(&mut self.registry.lock())
    }

    /// All metrics in the Prometheus text format.
    pub(crate) fn render(&self) -> String {
        let mut text = String::new();
        encode_registry(&mut text, &self.registry.lock())
            .and_then(|()| encode_registry(&mut text, &self.process))
            .and_then(|()| encode_eof(&mut text))
            .expect("writing to a string cannot fail");
        text
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use calendar_edge_core::settings::Settings;

    use super::super::request_log::BackendTimes;
    use super::super::requests::Served;
    use super::*;

    #[test]
    fn names_and_labels_are_stable() {
        let metrics = Metrics::new();
        let _running = metrics.requests().begin();
        let _backend = metrics.backends().of("http://wp.example");
        let root = Arc::from("/wp-json");
        metrics.requests().expect(&Settings::for_origin(
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
        let site = &metrics.exchanges().site;
        site.exchanged("events.list", "2xx", Duration::from_millis(20));
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
        drop(metrics.requests().begin());
        assert!(metrics.render().contains("edge_inflight 0"));
    }
}
