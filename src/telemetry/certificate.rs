//! The certificate for clients. Without one there is no series: zero would mean 1970.

use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::{Registry, Unit};

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
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register_collector(Box::new(self.clone()));
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
        let gauge = ConstGauge::new(shown.not_after);
        let metric = encoder.encode_descriptor(
            "tls_certificate_not_after_timestamp",
            "When the certificate that clients see expires",
            Some(&Unit::Seconds),
            gauge.metric_type(),
        )?;
        gauge.encode(metric)
    }
}

#[cfg(test)]
mod tests {
    use prometheus_client::encoding::text::encode;

    use super::*;

    #[test]
    fn there_is_a_series_once_there_is_a_certificate() {
        let metrics = CertificateMetrics::default();
        let mut registry = Registry::with_prefix("edge");
        metrics.register(&mut registry);
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
