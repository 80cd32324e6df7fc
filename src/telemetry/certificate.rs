//! The certificate for clients. Without one there is no series: zero would mean 1970.

use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;

use super::table::TLS_CERTIFICATE_NOT_AFTER_TIMESTAMP_SECONDS;

/// The metric of the certificate; clones share its value.
#[derive(Debug, Clone, Default)]
pub(crate) struct CertificateMetrics {
    shown: Arc<Mutex<Option<ShownCertificate>>>,
}

/// The certificate that clients see.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ShownCertificate {
    /// The host names and addresses that it is for.
    pub(crate) names: Vec<String>,
    /// The expiry in seconds since 1970.
    pub(crate) not_after: i64,
}

// === impl CertificateMetrics ===

impl CertificateMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let this = Self::default();
        registry.register_collector(Box::new(this.clone()));
        this
    }

    /// Notes the certificate that clients see from now on.
    pub(crate) fn show(&self, certificate: ShownCertificate) {
        *self.shown.lock() = Some(certificate);
    }

    /// The certificate that clients see; none without TLS.
    pub(crate) fn shown(&self) -> Option<ShownCertificate> {
        self.shown.lock().clone()
    }
}

impl Collector for CertificateMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let Some(shown) = self.shown() else {
            return Ok(());
        };
        let row = TLS_CERTIFICATE_NOT_AFTER_TIMESTAMP_SECONDS;
        ConstGauge::new(shown.not_after).encode(row.describe(&mut encoder, MetricType::Gauge)?)
    }
}

#[cfg(test)]
mod tests {
    use prometheus_client::encoding::text::encode;

    use super::*;

    #[test]
    fn there_is_a_series_once_there_is_a_certificate() {
        let mut registry = Registry::with_prefix("edge");
        let metrics = CertificateMetrics::new(&mut registry);
        let render = || {
            let mut text = String::new();
            encode(&mut text, &registry).unwrap();
            text
        };
        assert!(!render().contains("edge_tls"));
        metrics.show(ShownCertificate {
            names: Vec::new(),
            not_after: 1_800_000_000,
        });
        let line = "\nedge_tls_certificate_not_after_timestamp_seconds 1800000000\n";
        assert!(render().contains(line), "{}", render());
    }
}
