//! Durations in buckets, which can be read and added as well as shown.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use prometheus_client::encoding::{EncodeMetric, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::{MetricType, TypedMetric};
use serde::Serialize;

/// The number of bounds.
const BOUNDS: usize = 14;

/// Upper bounds of the buckets in seconds: from the edge's own refusals to the write deadline.
pub(crate) const LATENCY_BOUNDS: [f64; BOUNDS] = [
    0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0, 120.0,
];

/// A histogram of durations; clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Latency(Arc<Buckets>);

#[derive(Debug, Default)]
struct Buckets {
    /// One for each bound, and one for durations beyond the last.
    counts: [AtomicU64; BOUNDS + 1],
    nanoseconds: AtomicU64,
}

/// The durations of one moment.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub(crate) struct LatencySums {
    /// For each of [`LATENCY_BOUNDS`], the number of durations up to it.
    up_to: [u64; BOUNDS],
    /// The number of durations.
    count: u64,
    /// Their sum in seconds.
    sum_seconds: f64,
}

// === impl Latency ===

impl Latency {
    pub(crate) fn observe(&self, duration: Duration) {
        let seconds = duration.as_secs_f64();
        let bucket = LATENCY_BOUNDS.iter().position(|bound| seconds <= *bound);
        if let Some(count) = self.0.counts.get(bucket.unwrap_or(BOUNDS)) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        let nanoseconds = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        self.0.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
    }

    /// The durations so far.
    pub(crate) fn sums(&self) -> LatencySums {
        let mut sums = LatencySums {
            sum_seconds: Duration::from_nanos(self.0.nanoseconds.load(Ordering::Relaxed)).as_secs_f64(),
            ..LatencySums::default()
        };
        for (place, count) in self.0.counts.iter().enumerate() {
            sums.count += count.load(Ordering::Relaxed);
            if let Some(up_to) = sums.up_to.get_mut(place) {
                *up_to = sums.count;
            }
        }
        sums
    }
}

impl EncodeMetric for Latency {
    fn encode(&self, mut encoder: MetricEncoder<'_>) -> fmt::Result {
        let sums = self.sums();
        let mut below = 0;
        let bounds = LATENCY_BOUNDS.into_iter().chain([f64::INFINITY]);
        let buckets = bounds.zip(sums.up_to.into_iter().chain([sums.count]));
        let buckets = buckets.map(|(bound, up_to)| (bound, up_to - std::mem::replace(&mut below, up_to)));
        let buckets: Vec<(f64, u64)> = buckets.collect();
        encoder.encode_histogram::<NoLabelSet>(sums.sum_seconds, sums.count, &buckets, None)
    }

    fn metric_type(&self) -> MetricType {
        Self::TYPE
    }
}

impl TypedMetric for Latency {
    const TYPE: MetricType = MetricType::Histogram;
}

// === impl LatencySums ===

impl std::iter::Sum for LatencySums {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        let mut sum = Self::default();
        for sums in all {
            for (to, count) in sum.up_to.iter_mut().zip(sums.up_to) {
                *to += count;
            }
            sum.count += sums.count;
            sum.sum_seconds += sums.sum_seconds;
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
        assert_eq!(sums.count, 5);
        assert_eq!(sums.up_to, [1, 2, 2, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4]);
        assert!((sums.sum_seconds - 150.007).abs() < 1e-9, "{sums:?}");
        let twice: LatencySums = [sums, sums].into_iter().sum();
        assert_eq!((twice.count, twice.up_to[3]), (10, 8));
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
