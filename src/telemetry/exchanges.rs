//! Exchanges with the site and with the backends beside it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;

use super::latency::Latency;
use super::request_kind::RequestKind;
use super::series::{ByLabels, Series};
use super::table::{
    BACKEND_REQUEST_DURATION_SECONDS, BACKEND_REQUESTS, ORIGIN_REQUEST_DURATION_SECONDS, ORIGIN_REQUESTS,
};

/// One exchange with a backend.
#[derive(Debug)]
pub(crate) struct Exchange {
    /// The operation's name, `site` or `none`.
    pub(crate) operation: &'static str,
    /// How it ended, one of [`OUTCOMES`].
    pub(crate) outcome: &'static str,
    /// Time from the queue to the head of the response.
    pub(crate) duration: Duration,
}

/// The ends of exchanges: classes of statuses, then failures before the head of a response.
pub(crate) const OUTCOMES: [&str; 18] = [
    "1xx",
    "2xx",
    "3xx",
    "4xx",
    "5xx",
    "other",
    "overloaded",
    "unavailable",
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
pub(super) struct ExchangeFamilies {
    of_site: Series<Counter, 2>,
    site_seconds: Series<Latency, 1>,
    further: Series<Counter, 3>,
    further_seconds: Series<Latency, 2>,
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
        Self {
            of_site: ORIGIN_REQUESTS.series(registry),
            site_seconds: ORIGIN_REQUEST_DURATION_SECONDS.series(registry),
            further: BACKEND_REQUESTS.series(registry),
            further_seconds: BACKEND_REQUEST_DURATION_SECONDS.series(registry),
        }
    }

    /// The series of the site, which begin at zero.
    pub(super) fn of_site(&self) -> ExchangeMetrics {
        ExchangeMetrics::new(&RequestKind::ALL, |kind| KindSeries {
            outcomes: OUTCOMES.map(|outcome| self.of_site.of([kind.into(), outcome.into()])),
            seconds: self.site_seconds.of([kind.into()]),
        })
    }

    /// The series of a backend, which begin at zero; its name comes from the settings, never from a client.
    pub(super) fn of(&self, backend: &str) -> ExchangeMetrics {
        let backend: &Arc<str> = &backend.into();
        ExchangeMetrics::new(&RequestKind::OF_CALLS, |kind| KindSeries {
            outcomes: OUTCOMES.map(|outcome| self.further.of([backend.into(), kind.into(), outcome.into()])),
            seconds: self.further_seconds.of([backend.into(), kind.into()]),
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

    /// Counts an exchange.
    pub(crate) fn exchanged(&self, exchange: &Exchange) {
        let Some(series) = self.0.get(exchange.operation) else {
            return;
        };
        let position = OUTCOMES.iter().position(|known| *known == exchange.outcome);
        if let Some(counter) = position.and_then(|position| series.outcomes.get(position)) {
            counter.inc();
        }
        series.seconds.observe(exchange.duration);
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
        let exchange = |operation, outcome| Exchange {
            operation,
            outcome,
            duration: Duration::from_millis(20),
        };
        let (site, next) = (families.of_site(), families.of("next"));
        site.exchanged(&exchange("events.list", "2xx"));
        site.exchanged(&exchange("tags.list", "2xx"));
        next.exchanged(&exchange("doc", "odd_head"));
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
