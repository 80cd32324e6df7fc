//! Exchanges with the site and with the backends beside it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use prometheus_client::registry::Registry;

use super::latency::Latency;
use super::request_kind::RequestKind;
use super::series::{ByLabels, Counter, metrics};

metrics! {
    struct ExchangeSeries {
        backend_request_duration_seconds: Latency["backend", "kind"] =
            "From the queue toward a backend beside the site to the head of its response";
        backend_requests: Counter["backend", "kind", "outcome"] =
            "Exchanges with a backend beside the site, by the class of the status or the kind of failure";
        origin_request_duration_seconds: Latency["kind"] = "From the queue toward the site to the head of its response";
        origin_requests: Counter["kind", "outcome"] =
            "Exchanges with the site, by the class of the status or the kind of failure";
    }
}

/// The ends of exchanges: classes of statuses, then failures before the head of a response.
pub(crate) const OUTCOMES: [&str; 19] = [
    "1xx",
    "2xx",
    "3xx",
    "4xx",
    "5xx",
    "other",
    "overloaded",
    "unavailable",
    "circle",
    "dns",
    "refused",
    "tls",
    "unreachable",
    "connect_timeout",
    "first_byte_timeout",
    "timeout",
    "terminated",
    "not_http",
    "odd_head",
];

/// The exchanges with one backend, or with all that are the site; clones share their counts.
#[derive(Debug, Clone)]
pub(crate) struct ExchangeMetrics(Arc<ByLabels<&'static str, Arc<KindSeries>>>);

/// The exchanges with all backends; clones share their counts.
#[derive(Debug, Clone)]
pub(crate) struct ExchangeFamilies {
    series: ExchangeSeries,
    /// The series of the site, which begin at zero.
    pub(crate) site: ExchangeMetrics,
}

/// The exchanges of one kind with one backend.
#[derive(Debug)]
struct KindSeries {
    /// In the order of [`OUTCOMES`].
    outcomes: [Counter; OUTCOMES.len()],
    seconds: Latency,
}

// === impl ExchangeFamilies ===

impl ExchangeFamilies {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let series = ExchangeSeries::new(registry);
        let site = ExchangeMetrics::new(&RequestKind::ALL, |kind| KindSeries {
            outcomes: OUTCOMES.map(|outcome| series.origin_requests.of([kind.into(), outcome.into()])),
            seconds: series.origin_request_duration_seconds.of([kind.into()]),
        });
        Self { series, site }
    }

    /// The series of a backend beside the site, which begin at zero; its name comes from the settings.
    pub(crate) fn of(&self, backend: &str) -> ExchangeMetrics {
        let backend: &Arc<str> = &backend.into();
        let (requests, seconds) = (
            &self.series.backend_requests,
            &self.series.backend_request_duration_seconds,
        );
        ExchangeMetrics::new(&RequestKind::OF_CALLS, |kind| KindSeries {
            outcomes: OUTCOMES.map(|outcome| requests.of([backend.into(), kind.into(), outcome.into()])),
            seconds: seconds.of([backend.into(), kind.into()]),
        })
    }
}

// === impl ExchangeMetrics ===

impl ExchangeMetrics {
    fn new(kinds: &[RequestKind], series: impl Fn(&'static str) -> KindSeries) -> Self {
        let series = kinds.iter().map(|kind| (*kind, Arc::new(series(kind.name()))));
        let series: HashMap<_, _> = series.collect();
        let of_operation = RequestKind::of_operations()
            .filter_map(|(operation, kind)| Some((operation, Arc::clone(series.get(&kind)?))));
        Self(Arc::new(of_operation.collect()))
    }

    /// Counts an exchange for an operation, `site` or `none`: its outcome, one of [`OUTCOMES`], and the time from the
    /// queue to the head of the response.
    pub(crate) fn exchanged(&self, operation: &'static str, outcome: &'static str, duration: Duration) {
        let Some(series) = self.0.get(operation) else {
            return;
        };
        let position = OUTCOMES.iter().position(|known| *known == outcome);
        if let Some(counter) = position.and_then(|position| series.outcomes.get(position)) {
            counter.inc();
        }
        series.seconds.observe(duration);
    }
}

#[cfg(test)]
mod tests {
    use prometheus_client::encoding::text::encode;

    use super::*;

    #[test]
    fn exchanges_are_counted_by_kind_and_outcome() {
        let mut registry = Registry::default();
        let families = ExchangeFamilies::new(&mut registry);
        let duration = Duration::from_millis(20);
        let (site, next) = (&families.site, families.of("next"));
        site.exchanged("events.list", "2xx", duration);
        site.exchanged("tags.list", "2xx", duration);
        next.exchanged("doc", "odd_head", duration);
        let mut text = String::new();
        encode(&mut text, &registry).unwrap();
        for line in [
            "origin_requests_total{kind=\"list\",outcome=\"2xx\"} 2\n",
            "origin_requests_total{kind=\"write\",outcome=\"terminated\"} 0\n",
            "origin_request_duration_seconds_count{kind=\"list\"} 2\n",
            "backend_requests_total{backend=\"next\",kind=\"read\",outcome=\"odd_head\"} 1\n",
            "backend_request_duration_seconds_count{backend=\"next\",kind=\"read\"} 1\n",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
    }
}
