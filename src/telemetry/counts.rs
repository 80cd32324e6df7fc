//! Counters by labels that can be listed, unlike those of a family.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use foldhash::fast::RandomState;
use parking_lot::RwLock;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;

/// Values by labels, found faster than with the standard library's hash. Labels come from tables, so nobody can choose
/// many that have one hash.
pub(super) type ByLabels<L, V> = HashMap<L, V, RandomState>;

/// Counters by labels; clones share them.
#[derive(Debug)]
pub(super) struct Counts<L>(Arc<RwLock<ByLabels<L, Counter>>>);

/// Counters with their name and meaning.
#[derive(Debug)]
struct NamedCounts<L> {
    name: &'static str,
    help: &'static str,
    counts: Counts<L>,
}

// === impl Counts ===

impl<L> Default for Counts<L> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<L> Clone for Counts<L> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<L: Clone + Eq + Hash> Counts<L> {
    /// Creates the counter of these labels with zero, unless there is one.
    pub(super) fn expect(&self, labels: L) {
        self.0.write().entry(labels).or_default();
    }

    /// Adds one to the counter of these labels.
    pub(super) fn add(&self, labels: &L) {
        if let Some(counter) = self.0.read().get(labels) {
            counter.inc();
            return;
        }
        self.0.write().entry(labels.clone()).or_default().inc();
    }

    /// The count of these labels.
    pub(super) fn count(&self, labels: &L) -> u64 {
        self.0.read().get(labels).map_or(0, Counter::get)
    }

    /// The sums of the counts by a part of their labels, in the order of that part.
    pub(super) fn sums<K: Ord>(&self, part: impl Fn(&L) -> K) -> Vec<(K, u64)> {
        let mut sums = std::collections::BTreeMap::new();
        for (labels, counter) in self.0.read().iter() {
            *sums.entry(part(labels)).or_default() += counter.get();
        }
        sums.into_iter().collect()
    }
}

impl<L> Counts<L>
where
    L: Clone + Eq + Hash + EncodeLabelSet + fmt::Debug + Send + Sync + 'static,
{
    pub(super) fn register(&self, registry: &mut Registry, name: &'static str, help: &'static str) {
        registry.register_collector(Box::new(NamedCounts {
            name,
            help,
            counts: self.clone(),
        }));
    }
}

// === impl NamedCounts ===

impl<L> Collector for NamedCounts<L>
where
    L: Clone + Eq + Hash + EncodeLabelSet + fmt::Debug + Send + Sync + 'static,
{
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let counts = self.counts.0.read();
        if counts.is_empty() {
            return Ok(());
        }
        // A registry ends the help of its own metrics with a full stop.
        let help = format!("{}.", self.help);
        let mut metric = encoder.encode_descriptor(self.name, &help, None, MetricType::Counter)?;
        for (labels, counter) in counts.iter() {
            counter.encode(metric.encode_family(labels)?)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use prometheus_client::encoding::text::encode;

    use super::*;

    #[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
    struct Labels {
        shape: &'static str,
        size: &'static str,
    }

    #[test]
    fn counts_are_listed_summed_and_shown() {
        let counts = Counts::default();
        let labels = |shape, size| Labels { shape, size };
        counts.expect(labels("round", "big"));
        for (shape, size) in [("round", "small"), ("square", "small"), ("square", "big")] {
            counts.add(&labels(shape, size));
        }
        assert_eq!(counts.count(&labels("square", "big")), 1);
        assert_eq!(counts.sums(|labels| labels.shape), [("round", 1), ("square", 2)]);
        let mut registry = Registry::with_prefix("edge");
        counts.register(&mut registry, "things", "Things seen");
        let mut text = String::new();
        encode(&mut text, &registry).unwrap();
        for line in [
            "# HELP edge_things Things seen.\n# TYPE edge_things counter\n",
            "edge_things_total{shape=\"round\",size=\"big\"} 0\n",
            "edge_things_total{shape=\"square\",size=\"big\"} 1\n",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
    }
}
