//! The series of one row of the table of metrics, which can be listed and summed as well as shown.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::sync::Arc;

use foldhash::fast::RandomState;
use parking_lot::RwLock;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelValue, LabelValueEncoder, MetricEncoder};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::{MetricType, TypedMetric};
use prometheus_client::registry::{Metric, Registry, Unit};

/// Values by labels, found faster than with the standard library's hash. Labels come from tables, so nobody can choose
/// many that have one hash.
pub(super) type ByLabels<L, V> = HashMap<L, V, RandomState>;

/// A row of the table: a metric with a value `V` for each set of `N` labels.
#[derive(Debug)]
pub(super) struct Row<V, const N: usize> {
    name: &'static str,
    labels: [&'static str; N],
    help: &'static str,
    values: PhantomData<V>,
}

/// The value of a label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Label {
    /// A word from the code.
    Word(&'static str),
    /// A name from the settings.
    Name(Arc<str>),
    /// A status.
    Number(u16),
}

/// The series of a row; clones share them.
#[derive(Debug)]
pub(super) struct Series<V, const N: usize>(Arc<RwLock<ByLabels<[Label; N], V>>>);

/// Series with what is said about them.
#[derive(Debug)]
struct RegisteredSeries<V, const N: usize> {
    row: Row<V, N>,
    series: Series<V, N>,
}

// === impl Row ===

impl<V, const N: usize> Row<V, N> {
    /// A metric of this name without `edge_`, whose last word may be a unit.
    pub(super) const fn new(name: &'static str, labels: [&'static str; N], help: &'static str) -> Self {
        let values = PhantomData;
        Self {
            name,
            labels,
            help,
            values,
        }
    }

    /// Begins to show the metric.
    pub(super) fn describe<'e>(
        &self,
        encoder: &'e mut DescriptorEncoder<'_>,
        kind: MetricType,
    ) -> Result<MetricEncoder<'e>, fmt::Error> {
        let (name, unit) = self.name_and_unit();
        // A registry ends the help of its own metrics with a full stop.
        encoder.encode_descriptor(name, &format!("{}.", self.help), unit, kind)
    }

    /// The labels of a series with their names.
    pub(super) fn named(&self, labels: &[Label; N]) -> Vec<(&'static str, Label)> {
        self.labels.into_iter().zip(labels.iter().cloned()).collect()
    }

    fn name_and_unit(&self) -> (&'static str, Option<&'static Unit>) {
        match self.name.rsplit_once('_') {
            Some((name, "bytes")) => (name, Some(&Unit::Bytes)),
            Some((name, "seconds")) => (name, Some(&Unit::Seconds)),
            _ => (self.name, None),
        }
    }
}

impl<V: Metric + Clone + Default> Row<V, 0> {
    /// The only value of this row, which the registry shows from now on.
    pub(super) fn value(self, registry: &mut Registry) -> V {
        let value = V::default();
        match self.name_and_unit() {
            (name, Some(unit)) => registry.register_with_unit(name, self.help, unit.clone(), value.clone()),
            (name, None) => registry.register(name, self.help, value.clone()),
        }
        value
    }
}

impl<V: Metric + TypedMetric, const N: usize> Row<V, N> {
    /// The series of this row, which the registry shows from now on.
    pub(super) fn series(self, registry: &mut Registry) -> Series<V, N> {
        let series = Series(Arc::default());
        registry.register_collector(Box::new(RegisteredSeries {
            row: self,
            series: series.clone(),
        }));
        series
    }
}

// === impl Label ===

impl Label {
    /// The word, where it is one.
    pub(super) const fn word(&self) -> &'static str {
        match self {
            Self::Word(word) => word,
            Self::Name(_) | Self::Number(_) => "",
        }
    }

    /// The text of a word or a name.
    pub(super) fn text(&self) -> Arc<str> {
        match self {
            Self::Name(name) => Arc::clone(name),
            Self::Word(_) | Self::Number(_) => self.word().into(),
        }
    }

    /// The number, where it is one.
    pub(super) const fn number(&self) -> u16 {
        match self {
            Self::Number(number) => *number,
            Self::Word(_) | Self::Name(_) => 0,
        }
    }
}

/// Without marks of the kind and of the end, which would take as long as the words themselves.
impl Hash for Label {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Word(word) => state.write(word.as_bytes()),
            Self::Name(name) => state.write(name.as_bytes()),
            Self::Number(number) => state.write_u16(*number),
        }
    }
}

impl From<&'static str> for Label {
    fn from(word: &'static str) -> Self {
        Self::Word(word)
    }
}

impl From<&Arc<str>> for Label {
    fn from(name: &Arc<str>) -> Self {
        Self::Name(Arc::clone(name))
    }
}

impl From<u16> for Label {
    fn from(status: u16) -> Self {
        Self::Number(status)
    }
}

impl EncodeLabelValue for Label {
    fn encode(&self, encoder: &mut LabelValueEncoder<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => word.encode(encoder),
            Self::Name(name) => name.encode(encoder),
            Self::Number(number) => number.encode(encoder),
        }
    }
}

// === impl Series ===

impl<V, const N: usize> Clone for Series<V, N> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<V: Clone + Default, const N: usize> Series<V, N> {
    /// The value of these labels, which exists from now on.
    pub(super) fn of(&self, labels: [Label; N]) -> V {
        if let Some(value) = self.0.read().get(&labels) {
            return value.clone();
        }
        self.0.write().entry(labels).or_default().clone()
    }

    /// Creates the series of these labels with zero, unless there is one.
    pub(super) fn expect(&self, labels: [Label; N]) {
        self.0.write().entry(labels).or_default();
    }

    /// Removes all series.
    pub(super) fn clear(&self) {
        self.0.write().clear();
    }

    /// Removes the series of a backend, which is their first label.
    pub(super) fn remove(&self, backend: &Arc<str>) {
        let backend = Label::from(backend);
        self.0
            .write()
            .retain(|labels, _| labels.first() != Some(&backend));
    }
}

impl<V: Clone + Default> Series<V, 1> {
    /// The same with zero for these words, so that "none" differs from "no data".
    pub(super) fn with(self, words: &[&'static str]) -> Self {
        for word in words {
            self.expect([Label::Word(word)]);
        }
        self
    }
}

impl<const N: usize> Series<Counter, N> {
    /// Adds to the counter of these labels.
    pub(super) fn add(&self, labels: [Label; N], count: u64) {
        if let Some(counter) = self.0.read().get(&labels) {
            counter.inc_by(count);
            return;
        }
        self.0.write().entry(labels).or_default().inc_by(count);
    }

    /// The count of these labels.
    pub(super) fn count(&self, labels: &[Label; N]) -> u64 {
        self.0.read().get(labels).map_or(0, Counter::get)
    }

    /// The sums of the counts by a part of their labels, in the order of that part.
    pub(super) fn sums<K: Ord>(&self, part: impl Fn(&[Label; N]) -> K) -> Vec<(K, u64)> {
        let mut sums = BTreeMap::new();
        for (labels, counter) in self.0.read().iter() {
            *sums.entry(part(labels)).or_default() += counter.get();
        }
        sums.into_iter().collect()
    }
}

// === impl RegisteredSeries ===

impl<V: Metric + TypedMetric, const N: usize> Collector for RegisteredSeries<V, N> {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let series = self.series.0.read();
        if series.is_empty() {
            return Ok(());
        }
        let mut metric = self.row.describe(&mut encoder, V::TYPE)?;
        if let Some(only) = series.values().next().filter(|_| N == 0) {
            return only.encode(metric);
        }
        for (labels, value) in series.iter() {
            value.encode(metric.encode_family(&self.row.named(labels))?)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use prometheus_client::encoding::text::encode;

    use super::*;

    #[test]
    fn counts_are_listed_summed_and_shown() {
        let mut registry = Registry::with_prefix("edge");
        let row: Row<Counter, 2> = Row::new("things", ["shape", "size"], "Things seen");
        let counts = row.series(&mut registry);
        counts.expect(["round".into(), "big".into()]);
        for (shape, size) in [("round", "small"), ("square", "small"), ("square", "big")] {
            counts.add([shape.into(), size.into()], 1);
        }
        assert_eq!(counts.count(&["square".into(), "big".into()]), 1);
        let sums = counts.sums(|[shape, _]| *shape == Label::Word("square"));
        assert_eq!(sums, [(false, 1), (true, 2)]);
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
