//! The certificate for clients. Without one there is no series: zero would mean 1970.

use serde_json::{Value, json};

use super::series::{Gauge, metrics};
use super::wall_clock::second;
use calendar_edge_core::unix_time::UnixTime;

metrics! {
    /// The metric of the certificate; clones share its value.
    pub(crate) struct CertificateMetrics {
        tls_certificate_not_after_timestamp_seconds: Gauge[] = "When the certificate that clients see expires";
    }
}

// === impl CertificateMetrics ===

impl CertificateMetrics {
    /// Notes the expiry of the certificate that clients see from now on, in seconds since 1970.
    pub(crate) fn show(&self, not_after: i64) {
        let series = &self.tls_certificate_not_after_timestamp_seconds;
        series.of([]).set(not_after);
    }

    /// When the certificate that clients see expires; none without TLS.
    pub(crate) fn expires(&self) -> Option<UnixTime> {
        let not_after = self.tls_certificate_not_after_timestamp_seconds.known(&[])?;
        Some(UnixTime::from_secs(
            u64::try_from(not_after.get()).unwrap_or_default(),
        ))
    }

    /// The same as operators see it.
    pub(crate) fn shown(&self) -> Option<Value> {
        let not_after = self.tls_certificate_not_after_timestamp_seconds.known(&[])?;
        Some(json!({"expires": second(not_after.get())}))
    }
}

#[cfg(test)]
mod tests {
    use prometheus_client::encoding::text::encode;
    use prometheus_client::registry::Registry;

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
        assert_eq!(metrics.shown(), None);
        metrics.show(1_800_000_000);
        assert_eq!(metrics.shown(), Some(json!({"expires": "2027-01-15T08:00:00Z"})));
        let line = "\nedge_tls_certificate_not_after_timestamp_seconds 1800000000\n";
        assert!(render().contains(line), "{}", render());
    }
}
