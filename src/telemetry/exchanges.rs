//! Exchanges with the backends beside the site, by the name of the backend.

use std::sync::Arc;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::{Registry, Unit};

use super::latency::Latency;
use super::metrics::Exchange;

/// The exchanges with one backend; clones share their counts.
#[derive(Debug, Clone)]
pub(crate) struct ExchangeMetrics {
    backend: Arc<str>,
    families: ExchangeFamilies,
}

/// The exchanges with all backends; clones share their counts.
#[derive(Debug, Clone, Default)]
pub(super) struct ExchangeFamilies {
    exchanges: Family<BackendExchangeLabels, Counter>,
    seconds: Family<DurationLabels, Latency>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct BackendExchangeLabels {
    backend: Arc<str>,
    operation: &'static str,
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct DurationLabels {
    backend: Arc<str>,
    operation: &'static str,
}

// === impl ExchangeFamilies ===

impl ExchangeFamilies {
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register(
            "backend_requests",
            "Exchanges with a backend beside the site",
            self.exchanges.clone(),
        );
        registry.register_with_unit(
            "backend_request_duration",
            "From the queue toward a backend beside the site to the head of its answer",
            Unit::Seconds,
            self.seconds.clone(),
        );
    }

    /// The counts of a backend; its name comes from the settings, never from a client.
    pub(super) fn of(&self, backend: &str) -> ExchangeMetrics {
        ExchangeMetrics {
            backend: backend.into(),
            families: self.clone(),
        }
    }
}

// === impl ExchangeMetrics ===

impl ExchangeMetrics {
    /// Counts an exchange.
    pub(crate) fn exchanged(&self, exchange: &Exchange) {
        let labels = BackendExchangeLabels {
            backend: Arc::clone(&self.backend),
            operation: exchange.operation,
            outcome: exchange.outcome,
        };
        self.families.exchanges.get_or_create(&labels).inc();
        let labels = DurationLabels {
            backend: Arc::clone(&self.backend),
            operation: exchange.operation,
        };
        let seconds = self.families.seconds.get_or_create(&labels);
        seconds.observe(exchange.duration);
    }
}
