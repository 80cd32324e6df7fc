//! When a response is late: by the times of the site, which are remembered when no more of them follow.

use std::time::Duration;

use super::latency::Latencies;
use super::tally::CallCounts;

/// The least difference of times that counts: what nobody notices.
const NOTICEABLE: Duration = Duration::from_millis(10);

/// The times from which on answers are late, by how long the site's responses take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lateness {
    /// The time that half of the site's responses take at most.
    pub(super) half: Duration,
    /// The time that nine tenths of the site's responses take at most.
    pub(super) tenth: Duration,
    /// By how many per cent a response may take longer.
    most: u32,
}

// === impl Lateness ===

impl Lateness {
    /// The times of the site in two spans; none if neither has the least number of them. Where both have, the longer
    /// times count: a backend is not slow while the site is.
    pub(super) fn of(spans: [&Latencies; 2], least: u64, most: u32) -> Option<Self> {
        let quantile = |per_mille: u32| {
            let supported = spans.iter().filter(|times| times.total() >= least);
            supported.filter_map(|times| times.quantile(per_mille)).max()
        };
        Some(Self {
            half: quantile(500)?,
            tenth: quantile(900)?,
            most,
        })
    }

    /// The time that a response may take, beside this time of the site.
    pub(super) fn allowed(&self, site: Duration) -> Duration {
        (site * (100 + self.most) / 100).max(site + NOTICEABLE)
    }

    /// Counts a response that took so long.
    pub(super) fn count(&self, duration: Duration, counts: &mut CallCounts) {
        counts.timed += 1;
        counts.late_half += u64::from(duration > self.allowed(self.half));
        counts.late_tenth += u64::from(duration > self.allowed(self.tenth));
    }
}
