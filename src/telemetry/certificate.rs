//! The certificate for clients. Without one there is no series: zero would mean 1970.

use std::sync::Arc;

use parking_lot::Mutex;
use prometheus_client::registry::Registry;
use serde::Serialize;

use super::series::{Gauge, metrics};
use super::wall_clock::as_second;

metrics! {
    struct CertificateSeries {
        tls_certificate_not_after_timestamp_seconds: Gauge[] = "When the certificate that clients see expires";
    }
}

/// The metric of the certificate; clones share its value.
#[derive(Debug, Clone)]
pub(crate) struct CertificateMetrics {
    series: CertificateSeries,
    shown: Arc<Mutex<Option<ShownCertificate>>>,
}

/// The certificate that clients see.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub(crate) struct ShownCertificate {
    /// The host names and addresses that it is for.
    pub(crate) names: Vec<String>,
    /// The expiry in seconds since 1970.
    #[serde(rename = "expires", serialize_with = "as_second")]
    pub(crate) not_after: i64,
}

// === impl CertificateMetrics ===

impl CertificateMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        Self {
            series: CertificateSeries::new(registry),
            shown: Arc::default(),
        }
    }

    /// Notes the certificate that clients see from now on.
    pub(crate) fn show(&self, certificate: ShownCertificate) {
        let not_after = &self.series.tls_certificate_not_after_timestamp_seconds;
        not_after.of([]).set(certificate.not_after);
        *self.shown.lock() = Some(certificate);
    }

    /// The certificate that clients see; none without TLS.
    pub(crate) fn shown(&self) -> Option<ShownCertificate> {
        self.shown.lock().clone()
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
