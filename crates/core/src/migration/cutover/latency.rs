//! Durations counted in buckets that grow by an eighth of a power of two.

use std::time::Duration;

/// Buckets for each power of two.
const STEPS: u32 = 8;

/// The highest power of two of microseconds: more than an hour.
const LARGEST: u32 = 32;

/// The number of buckets.
const BUCKETS: u32 = (LARGEST + 1) * STEPS;

/// How often which durations occurred; the error of a result is at most an eighth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Latencies {
    counts: Box<[u32]>,
    total: u64,
}

// === impl Latencies ===

impl Latencies {
    /// Counts a duration.
    pub(super) fn add(&mut self, duration: Duration) {
        if let Some(count) = self.counts.get_mut(bucket(duration)) {
            *count = count.saturating_add(1);
            self.total += 1;
        }
    }

    /// Counts all durations of another value.
    pub(super) fn add_all(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count = count.saturating_add(*more);
        }
        self.total += other.total;
    }

    /// How many durations were counted.
    pub(super) const fn total(&self) -> u64 {
        self.total
    }

    /// The duration that half of all do not exceed; none if there is none.
    pub(super) fn median(&self) -> Option<Duration> {
        self.quantile(500)
    }

    /// The duration that so many of a thousand do not exceed; none if there is none.
    pub(super) fn quantile(&self, per_mille: u32) -> Option<Duration> {
        let mut left = (self.total * u64::from(per_mille)).div_ceil(1000).max(1);
        for (index, &count) in self.counts.iter().enumerate() {
            let count = u64::from(count);
            if left <= count && count > 0 {
                return Some(upper_end(index));
            }
            left = left.saturating_sub(count);
        }
        None
    }

    /// The buckets that are not empty, by their numbers.
    pub(super) fn buckets(&self) -> impl Iterator<Item = (usize, u32)> {
        let counts = self.counts.iter().copied().enumerate();
        counts.filter(|(_, count)| *count > 0)
    }

    /// Adds to a bucket; a number that none has is ignored.
    pub(super) fn add_bucket(&mut self, number: usize, more: u32) {
        if let Some(count) = self.counts.get_mut(number) {
            *count = count.saturating_add(more);
            self.total += u64::from(more);
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.counts.fill(0);
        self.total = 0;
    }
}

impl Default for Latencies {
    fn default() -> Self {
        Self {
            counts: (0..BUCKETS).map(|_| 0).collect(),
            total: 0,
        }
    }
}

/// The number of the bucket of a duration.
fn bucket(duration: Duration) -> usize {
    let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX).max(1);
    let power = micros.ilog2().min(LARGEST);
    // The next three bits below the highest one.
    let eighths = (u128::from(micros) * u128::from(STEPS)) >> power;
    let step = u32::try_from(eighths).unwrap_or(u32::MAX).min(2 * STEPS - 1) - STEPS;
    usize::try_from(power * STEPS + step).unwrap_or(usize::MAX)
}

/// The end of a bucket.
fn upper_end(index: usize) -> Duration {
    let index = u32::try_from(index).unwrap_or(BUCKETS - 1);
    let (power, step) = (index / STEPS, index % STEPS);
    let micros = (u64::from(STEPS + step + 1) << power) / u64::from(STEPS);
    Duration::from_micros(micros)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn quantiles_are_close(mut micros in prop::collection::vec(8_u64..10_000_000, 1..200), per_mille in 1_u32..=1000) {
            let mut latencies = Latencies::default();
            for &one in &micros {
                latencies.add(Duration::from_micros(one));
            }
            micros.sort_unstable();
            let exact = micros[(micros.len() * per_mille as usize).div_ceil(1000) - 1];
            let found = u64::try_from(latencies.quantile(per_mille).unwrap().as_micros()).unwrap();
            prop_assert!(found >= exact && found <= exact + exact / 8 + 1, "{found} {exact}");
        }

        #[test]
        fn every_duration_has_a_bucket(nanos: u64) {
            prop_assert!(bucket(Duration::from_nanos(nanos)) < Latencies::default().counts.len());
            prop_assert!(bucket(Duration::from_secs(nanos)) < Latencies::default().counts.len());
        }
    }

    #[test]
    fn nothing_has_no_median() {
        let mut latencies = Latencies::default();
        assert_eq!(latencies.median(), None);
        latencies.add(Duration::ZERO);
        assert_eq!(latencies.total(), 1);
        latencies.clear();
        assert_eq!(latencies.median(), None);
    }
}
