//! Moments of the running program as times of the wall clock.

use std::time::{Duration, Instant};

use crate::telemetry::unix_time;
use calendar_edge_core::unix_time::UnixTime;

/// Knows what time it was at one moment. All moments are counted from there, so that spans of one trace fit each other.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnixClock {
    moment: Instant,
    time: UnixTime,
}

/// The difference by which the system's clock counts as set by hand.
const SET: Duration = Duration::from_millis(50);

// === impl UnixClock ===

impl UnixClock {
    /// The time of the system's clock.
    pub(super) fn now() -> Self {
        Self {
            moment: Instant::now(),
            time: unix_time(),
        }
    }

    /// The same clock, unless the system's was set to another time meanwhile.
    pub(super) fn unless_set(self, now: Self) -> Self {
        let expected = self.at(now.moment).since_epoch();
        if expected.abs_diff(now.time.since_epoch()) > SET {
            now
        } else {
            self
        }
    }

    /// Nanoseconds of the wall clock; until the year 2554.
    pub(super) fn nanoseconds(self, moment: Instant) -> u64 {
        u64::try_from(self.at(moment).since_epoch().as_nanos()).unwrap_or(u64::MAX)
    }

    fn at(self, moment: Instant) -> UnixTime {
        match moment.checked_duration_since(self.moment) {
            Some(later) => self.time.saturating_add(later),
            None => self.time.saturating_sub(self.moment - moment),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_before_and_after_are_counted_from_one() {
        let moment = Instant::now() + Duration::from_secs(100);
        let clock = UnixClock {
            moment,
            time: UnixTime::from_secs(1000),
        };
        assert_eq!(
            clock.nanoseconds(moment + Duration::from_nanos(7)),
            1_000_000_000_007
        );
        assert_eq!(
            clock.nanoseconds(moment.checked_sub(Duration::from_secs(1)).unwrap()),
            999_000_000_000
        );
    }

    #[test]
    fn only_a_clock_that_was_set_begins_anew() {
        let moment = Instant::now();
        let at = |after, milliseconds| UnixClock {
            moment: moment + Duration::from_secs(after),
            time: UnixTime::from_millis(milliseconds),
        };
        let first = at(0, 1_000_000);
        let nanoseconds = |clock: UnixClock| clock.nanoseconds(moment);
        assert_eq!(
            nanoseconds(first.unless_set(at(10, 1_010_020))),
            nanoseconds(first)
        );
        assert_ne!(
            nanoseconds(first.unless_set(at(10, 1_020_000))),
            nanoseconds(first)
        );
        assert_ne!(
            nanoseconds(first.unless_set(at(10, 1_000_000))),
            nanoseconds(first)
        );
    }
}
