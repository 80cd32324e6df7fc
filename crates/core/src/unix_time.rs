//! A time of the wall clock.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A time of the wall clock, counted from the Unix epoch, 1970-01-01T00:00:00Z, which is its default.
///
/// Its clock can be set back: the time between two of these is zero if the later one comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct UnixTime(Duration);

// === impl UnixTime ===

impl UnixTime {
    /// The time this long after the epoch.
    pub const fn after_epoch(time: Duration) -> Self {
        Self(time)
    }

    /// The time this many seconds after the epoch.
    pub const fn from_secs(seconds: u64) -> Self {
        Self(Duration::from_secs(seconds))
    }

    /// The time this many milliseconds after the epoch.
    pub const fn from_millis(milliseconds: u64) -> Self {
        Self(Duration::from_millis(milliseconds))
    }

    /// The whole seconds since the epoch.
    pub const fn as_secs(self) -> u64 {
        self.0.as_secs()
    }

    /// The whole milliseconds since the epoch; [`u64::MAX`] if there are more.
    pub fn as_millis(self) -> u64 {
        u64::try_from(self.0.as_millis()).unwrap_or(u64::MAX)
    }

    /// The time since the epoch.
    pub const fn since_epoch(self) -> Duration {
        self.0
    }

    /// The time this much later, or the last one there is.
    #[must_use]
    pub const fn saturating_add(self, time: Duration) -> Self {
        Self(self.0.saturating_add(time))
    }

    /// The time this much earlier, or the epoch.
    #[must_use]
    pub const fn saturating_sub(self, time: Duration) -> Self {
        Self(self.0.saturating_sub(time))
    }

    /// The time that has passed since an earlier one; zero if that one is later.
    pub const fn saturating_since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    /// The time that has passed since an earlier one; `None` if that one is later.
    pub const fn checked_since(self, earlier: Self) -> Option<Duration> {
        self.0.checked_sub(earlier.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_was_set_back_lets_no_time_pass() {
        let (early, late) = (UnixTime::from_secs(5), UnixTime::from_millis(5_250));
        assert_eq!(late.saturating_since(early), Duration::from_millis(250));
        assert_eq!(early.saturating_since(late), Duration::ZERO);
        assert_eq!(early.checked_since(late), None);
    }

    #[test]
    fn sums_end_with_the_first_and_the_last_time() {
        let last = UnixTime::default().saturating_add(Duration::MAX);
        assert_eq!(last.saturating_add(Duration::from_nanos(1)), last);
        assert_eq!(last.as_millis(), u64::MAX);
        assert_eq!(
            UnixTime::from_secs(1).saturating_sub(Duration::MAX),
            UnixTime::default()
        );
    }
}
