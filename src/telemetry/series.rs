//! The declaration of metrics, and the series of one, which can be listed and summed as well as shown.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use foldhash::fast::RandomState;
use parking_lot::RwLock;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelValue, LabelValueEncoder};
use prometheus_client::metrics::TypedMetric;
pub(crate) use prometheus_client::metrics::counter::Counter;
pub(crate) use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Metric, Registry, Unit};

/// Declares the metrics of one subject, each by one line: name without `edge_`, value, labels, meaning.
///
/// The name is that of the field as well, and its last word may be a unit. A metric without a list of labels exists
/// from the start; one with a list, even an empty one, has the series that are expected and those that occur. A label
/// `in` words has all of them from the start, so that "none" differs from "no data".
macro_rules! metrics {
    (@type $value:ty) => { $value };
    (@type $value:ty, [$($label:literal),*]) => {
        $crate::telemetry::series::Series<$value, { <[&str]>::len(&[$($label),*]) }>
    };
    (@new $registry:ident, $row:expr) => { $row.value($registry) };
    (@new $registry:ident, $row:expr, [$($label:literal $(in $words:expr)?),*]) => {{
        let series = $row.series($registry, [$($label),*]);
        $($(series.expect_all($words);)?)*
        series
    }};
    ($(#[$about:meta])* $visible:vis struct $name:ident {
        $($metric:ident: $value:ty $([$($label:literal $(in $words:expr)?),*])? = $help:literal;)+
    }) => {
        $(#[$about])*
        #[derive(Debug, Clone)]
        #[allow(clippy::struct_field_names, reason = "fields have the names of their metrics")]
        $visible struct $name {
            $($metric: metrics!(@type $value $(, [$($label),*])?),)+
        }

        impl $name {
            /// Shows these metrics from now on.
            pub(crate) fn new(registry: &mut prometheus_client::registry::Registry) -> Self {
                use $crate::telemetry::series::Row;
                Self {
                    $($metric: metrics!(
                        @new registry, Row::new(stringify!($metric), $help) $(, [$($label $(in $words)?),*])?
                    ),)+
                }
            }
        }
    };
}

pub(crate) use metrics;

/// Values by labels, found faster than with the standard library's hash. Labels come from tables, so no client can
/// choose many that have one hash.
pub(crate) type ByLabels<L, V> = HashMap<L, V, RandomState>;

/// Counts by a name from the settings and a word from the code.
pub(crate) type NamedSums = BTreeMap<(Arc<str>, &'static str), u64>;

/// The name and the meaning of a metric.
#[derive(Debug)]
pub(crate) struct Row {
    name: &'static str,
    unit: Option<Unit>,
    help: &'static str,
}

/// The value of a label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Label {
    /// A word from the code.
    Word(&'static str),
    /// A name from the settings.
    Name(Arc<str>),
    /// A status.
    Number(u16),
}

/// The series of a row; clones share them.
#[derive(Debug)]
pub(crate) struct Series<V, const N: usize>(Arc<RwLock<ByLabels<[Label; N], V>>>);

/// Series with their description.
#[derive(Debug)]
struct RegisteredSeries<V, const N: usize> {
    row: Row,
    labels: [&'static str; N],
    series: Series<V, N>,
}

// === impl Row ===

impl Row {
    /// A metric of this name without `edge_`, whose last word may be a unit.
    pub(crate) fn new(name: &'static str, help: &'static str) -> Self {
        let (name, unit) = match name.rsplit_once('_') {
            Some((name, "bytes")) => (name, Some(Unit::Bytes)),
            Some((name, "seconds")) => (name, Some(Unit::Seconds)),
            _ => (name, None),
        };
        Self { name, unit, help }
    }

    /// The only value of this row, which the registry shows from now on.
    pub(crate) fn value<V: Metric + Clone + Default>(self, registry: &mut Registry) -> V {
        let value = V::default();
        match self.unit {
            Some(unit) => registry.register_with_unit(self.name, self.help, unit, value.clone()),
            None => registry.register(self.name, self.help, value.clone()),
        }
        value
    }

    /// The series of this row, which the registry shows from now on.
    pub(crate) fn series<V: Metric + TypedMetric, const N: usize>(
        self,
        registry: &mut Registry,
        labels: [&'static str; N],
    ) -> Series<V, N> {
        let series = Series(Arc::default());
        registry.register_collector(Box::new(RegisteredSeries {
            row: self,
            labels,
            series: series.clone(),
        }));
        series
    }
}

// === impl Label ===

impl Label {
    /// The word, where it is one.
    pub(crate) const fn word(&self) -> &'static str {
        match self {
            Self::Word(word) => word,
            Self::Name(_) | Self::Number(_) => "",
        }
    }

    /// The text of a word or a name.
    pub(crate) fn text(&self) -> Arc<str> {
        match self {
            Self::Name(name) => Arc::clone(name),
            Self::Word(_) | Self::Number(_) => self.word().into(),
        }
    }

    /// The number, where it is one.
    pub(crate) const fn number(&self) -> u16 {
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
    pub(crate) fn of(&self, labels: [Label; N]) -> V {
        self.known(&labels)
            .unwrap_or_else(|| self.0.write().entry(labels).or_default().clone())
    }

    /// The value of these labels, if there is one.
    pub(crate) fn known(&self, labels: &[Label; N]) -> Option<V> {
        self.0.read().get(labels).cloned()
    }

    /// Creates the series of these labels with zero, unless there is one.
    pub(crate) fn expect(&self, labels: [Label; N]) {
        self.0.write().entry(labels).or_default();
    }

    /// Removes all series.
    pub(crate) fn clear(&self) {
        self.0.write().clear();
    }

    /// Removes the series of a backend, which is their first label.
    pub(crate) fn remove(&self, backend: &Arc<str>) {
        let backend = Label::from(backend);
        self.0
            .write()
            .retain(|labels, _| labels.first() != Some(&backend));
    }
}

impl<V: Clone + Default> Series<V, 1> {
    /// Creates the series of these words with zero.
    pub(crate) fn expect_all<W: Into<&'static str>>(&self, words: impl IntoIterator<Item = W>) {
        for word in words {
            self.expect([Label::Word(word.into())]);
        }
    }
}

impl<const N: usize> Series<Counter, N> {
    /// Adds to the counter of these labels.
    pub(crate) fn add(&self, labels: [Label; N], count: u64) {
        if let Some(counter) = self.0.read().get(&labels) {
            counter.inc_by(count);
            return;
        }
        self.0.write().entry(labels).or_default().inc_by(count);
    }

    /// The count of these labels.
    pub(crate) fn count(&self, labels: &[Label; N]) -> u64 {
        self.known(labels).map_or(0, |counter| counter.get())
    }

    /// The sums of the counts by a part of their labels, in the order of that part.
    pub(crate) fn sums<K: Ord>(&self, part: impl Fn(&[Label; N]) -> K) -> BTreeMap<K, u64> {
        let mut sums = BTreeMap::new();
        for (labels, counter) in self.0.read().iter() {
            *sums.entry(part(labels)).or_default() += counter.get();
        }
        sums
    }
}

impl<const N: usize> Series<Gauge, N> {
    /// Sets the gauge of these labels.
    pub(crate) fn set(&self, labels: [Label; N], value: usize) {
        self.of(labels).set(i64::try_from(value).unwrap_or(i64::MAX));
    }
}

// === impl RegisteredSeries ===

impl<V: Metric + TypedMetric, const N: usize> Collector for RegisteredSeries<V, N> {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let series = self.series.0.read();
        if series.is_empty() {
            return Ok(());
        }
        // A registry ends the help of its own metrics with a full stop.
        let (row, help) = (&self.row, format!("{}.", self.row.help));
        let mut metric = encoder.encode_descriptor(row.name, &help, row.unit.as_ref(), V::TYPE)?;
        if let Some(only) = series.values().next().filter(|_| N == 0) {
            return only.encode(metric);
        }
        for (labels, value) in series.iter() {
            let named: Vec<_> = self.labels.into_iter().zip(labels.iter().cloned()).collect();
            value.encode(metric.encode_family(&named)?)?;
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
        let row = Row::new("things", "Things seen");
        let counts = row.series::<Counter, 2>(&mut registry, ["shape", "size"]);
        counts.expect(["round".into(), "big".into()]);
        for (shape, size) in [("round", "small"), ("square", "small"), ("square", "big")] {
            counts.add([shape.into(), size.into()], 1);
        }
        assert_eq!(counts.count(&["square".into(), "big".into()]), 1);
        let sums = counts.sums(|[shape, _]| *shape == Label::Word("square"));
        assert_eq!(sums, [(false, 1), (true, 2)].into());
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
