//! How far what backends publish is from the table.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;

use super::table::CONTRACT_DRIFT;
use super::wall_clock::unix_time;
use calendar_edge_core::unix_time::UnixTime;
use calendar_edge_judge::contract::drift::{DRIFT_KINDS, Drift};

/// The differences of all backends; clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct DriftMetrics(Arc<Mutex<BTreeMap<String, BackendDrift>>>);

/// The differences of one backend.
#[derive(Debug, Clone, Default)]
pub(crate) struct BackendDrift {
    /// When its index was last compared; none: it was not read yet.
    pub(crate) compared: Option<UnixTime>,
    /// By the REST root that publishes the index.
    roots: BTreeMap<String, Vec<Drift>>,
}

/// The effect of a comparison on what is known about a backend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DriftChange {
    /// The differences of the backend are those that were known.
    None,
    /// These are the first that were found below the root.
    First(Vec<Drift>),
    /// These are others than before.
    Other(Vec<Drift>),
}

// === impl DriftMetrics ===

impl DriftMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let this = Self::default();
        registry.register_collector(Box::new(this.clone()));
        this
    }

    /// Takes the backends of new settings; what is known of those that stay is kept.
    pub(crate) fn expect(&self, backends: impl IntoIterator<Item = String>) {
        let backends: BTreeSet<String> = backends.into_iter().collect();
        let mut known = self.0.lock();
        known.retain(|name, _| backends.contains(name));
        for backend in backends {
            known.entry(backend).or_default();
        }
    }

    /// Notes the differences of the index that a root of a backend publishes. The names come from the settings.
    ///
    /// The change is that of the backend: what several of its roots publish alike is one change.
    pub(crate) fn found(&self, backend: &str, root: &str, drifts: &[Drift]) -> DriftChange {
        let mut known = self.0.lock();
        let known = known.entry(backend.to_owned()).or_default();
        known.compared = Some(unix_time());
        let before = known.differences();
        let is_first = known.roots.insert(root.to_owned(), drifts.to_vec()).is_none();
        let after = known.differences();
        match (before == after, is_first) {
            (true, _) => DriftChange::None,
            (false, true) => DriftChange::First(after),
            (false, false) => DriftChange::Other(after),
        }
    }

    /// The differences of each backend, by name.
    pub(crate) fn backends(&self) -> BTreeMap<String, BackendDrift> {
        self.0.lock().clone()
    }
}

impl Collector for DriftMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let backends = self.backends();
        if backends.is_empty() {
            return Ok(());
        }
        let mut metric = CONTRACT_DRIFT.describe(&mut encoder, MetricType::Gauge)?;
        for (backend, drift) in &backends {
            let name: Arc<str> = backend.as_str().into();
            for (kind, count) in drift.counts() {
                let count = i64::try_from(count).unwrap_or(i64::MAX);
                let labels = CONTRACT_DRIFT.named(&[(&name).into(), kind.into()]);
                ConstGauge::new(count).encode(metric.encode_family(&labels)?)?;
            }
        }
        Ok(())
    }
}

// === impl BackendDrift ===

impl BackendDrift {
    /// All differences in words, each once although several roots have it.
    pub(crate) fn told(&self) -> BTreeSet<String> {
        self.differences().iter().map(ToString::to_string).collect()
    }

    /// The number of differences of each kind, zeros included.
    pub(crate) fn counts(&self) -> BTreeMap<&'static str, usize> {
        let mut counts: BTreeMap<_, _> = DRIFT_KINDS.map(|kind| (kind, 0)).into();
        for drift in self.differences() {
            *counts.entry(drift.kind()).or_default() += 1;
        }
        counts
    }

    /// All differences, each once although several roots have it.
    fn differences(&self) -> Vec<Drift> {
        let mut seen: Vec<Drift> = Vec::new();
        for drift in self.roots.values().flatten() {
            if !seen.contains(drift) {
                seen.push(drift.clone());
            }
        }
        seen
    }
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use prometheus_client::encoding::text::encode;

    use super::*;

    fn missing(route: &str) -> Drift {
        Drift::RouteMissing {
            route: route.to_owned(),
        }
    }

    #[test]
    fn a_difference_of_several_roots_counts_once_and_changes_are_noticed() {
        let mut registry = Registry::with_prefix("edge");
        let metrics = DriftMetrics::new(&mut registry);
        metrics.expect(["http://a.example".to_owned(), "next".to_owned()]);
        let found = |root, drifts: &[Drift]| metrics.found("http://a.example", root, drifts);
        let (x, y) = (missing("/x"), missing("/y"));
        assert_eq!(found("/", from_ref(&x)), DriftChange::First(vec![x.clone()]));
        assert_eq!(found("/", from_ref(&x)), DriftChange::None);
        assert_eq!(found("/fr", from_ref(&x)), DriftChange::None);
        let both = vec![x.clone(), y];
        assert_eq!(found("/de", &both), DriftChange::First(both.clone()));
        let mut text = String::new();
        encode(&mut text, &registry).unwrap();
        for line in [
            "edge_contract_drift{backend=\"http://a.example\",kind=\"route_missing\"} 2\n",
            "edge_contract_drift{backend=\"http://a.example\",kind=\"required\"} 0\n",
            "edge_contract_drift{backend=\"next\",kind=\"no_index\"} 0\n",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        assert_eq!(found("/", &[]), DriftChange::None);
        assert_eq!(found("/de", from_ref(&x)), DriftChange::Other(vec![x.clone()]));
        assert_eq!(found("/de", &[]), DriftChange::None);
        assert_eq!(found("/fr", &[]), DriftChange::Other(Vec::new()));
        metrics.expect(["next".to_owned()]);
        assert_eq!(metrics.backends().len(), 1);
    }
}
