//! Durations in buckets, which can be read and added as well as shown.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use prometheus_client::encoding::{EncodeMetric, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::{MetricType, TypedMetric};

/// The number of bounds.
const BOUNDS: usize = 14;

/// Upper bounds of the buckets in seconds: from the edge's own refusals to the write deadline.
pub(crate) const LATENCY_BOUNDS: [f64; BOUNDS] = [
    0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0, 120.0,
];

/// A histogram of durations; clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct Latency(Arc<Buckets>);

#[derive(Debug, Default)]
struct Buckets {
    /// One for each bound.
    counts: [AtomicU64; BOUNDS],
    /// Durations beyond the last bound.
    beyond: AtomicU64,
    nanoseconds: AtomicU64,
}

/// The durations of one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct LatencySums {
    counts: [u64; BOUNDS],
    beyond: u64,
    nanoseconds: u64,
}

// === impl Latency ===

impl Latency {
    pub(super) fn observe(&self, duration: Duration) {
        let seconds = duration.as_secs_f64();
        let bucket = LATENCY_BOUNDS.iter().position(|bound| seconds <= *bound);
        let bucket = bucket.and_then(|bucket| self.0.counts.get(bucket));
        bucket.unwrap_or(&self.0.beyond).fetch_add(1, Ordering::Relaxed);
        let nanoseconds = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        self.0.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
    }

    /// The durations so far.
    pub(super) fn sums(&self) -> LatencySums {
        LatencySums {
            counts: self
                .0
                .counts
                .each_ref()
                .map(|count| count.load(Ordering::Relaxed)),
            beyond: self.0.beyond.load(Ordering::Relaxed),
            nanoseconds: self.0.nanoseconds.load(Ordering::Relaxed),
        }
    }
}

impl EncodeMetric for Latency {
    fn encode(&self, mut encoder: MetricEncoder<'_>) -> fmt::Result {
        let sums = self.sums();
        let bounds = LATENCY_BOUNDS.into_iter().chain([f64::INFINITY]);
        let counts = sums.counts.into_iter().chain([sums.beyond]);
        let buckets: Vec<(f64, u64)> = bounds.zip(counts).collect();
        encoder.encode_histogram::<NoLabelSet>(sums.seconds(), sums.count(), &buckets, None)
    }

    fn metric_type(&self) -> MetricType {
        Self::TYPE
    }
}

impl TypedMetric for Latency {
    const TYPE: MetricType = MetricType::Histogram;
}

// === impl LatencySums ===

impl LatencySums {
    /// The number of durations.
    pub(crate) fn count(&self) -> u64 {
        self.counts.iter().sum::<u64>() + self.beyond
    }

    /// The sum of all durations in seconds.
    pub(crate) fn seconds(&self) -> f64 {
        Duration::from_nanos(self.nanoseconds).as_secs_f64()
    }

    /// For each of [`LATENCY_BOUNDS`], the number of durations up to it.
    pub(crate) fn cumulative(&self) -> Vec<u64> {
        let counts = self.counts.iter().scan(0, |sum, count| {
            *sum += count;
            Some(*sum)
        });
        counts.collect()
    }
}

impl std::iter::Sum for LatencySums {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        let mut sum = Self::default();
        for sums in all {
            for (to, count) in sum.counts.iter_mut().zip(sums.counts) {
                *to += count;
            }
            sum.beyond += sums.beyond;
            sum.nanoseconds = sum.nanoseconds.saturating_add(sums.nanoseconds);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use prometheus_client::encoding::text::encode;
    use prometheus_client::registry::Registry;

    use super::*;

    #[test]
    fn a_duration_is_in_the_first_bucket_that_holds_it() {
        let latency = Latency::default();
        for milliseconds in [0, 1, 3, 3, 150_000] {
            latency.observe(Duration::from_millis(milliseconds));
        }
        let sums = latency.sums();
        assert_eq!(sums.count(), 5);
        assert_eq!(sums.cumulative(), [1, 2, 2, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4]);
        assert!((sums.seconds() - 150.007).abs() < 1e-9, "{sums:?}");
        let twice: LatencySums = [sums, sums].into_iter().sum();
        assert_eq!((twice.count(), twice.cumulative()[3]), (10, 8));
    }

    #[test]
    fn the_last_bucket_of_a_scrape_holds_all() {
        let latency = Latency::default();
        latency.observe(Duration::from_millis(1));
        latency.observe(Duration::from_mins(10));
        let mut registry = Registry::default();
        registry.register("wait", "Waits", latency);
        let mut text = String::new();
        encode(&mut text, &registry).unwrap();
        for line in [
            "wait_bucket{le=\"0.0005\"} 0\n",
            "wait_bucket{le=\"120.0\"} 1\n",
            "wait_bucket{le=\"+Inf\"} 2\n",
            "wait_count 2\n",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
    }
}
