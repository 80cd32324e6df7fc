//! Moments of the running program as times since 1970.

use std::time::{Duration, Instant};

use crate::telemetry::since_1970;

/// Knows what time it was at one moment. All moments are counted from there, so that spans of one trace fit each other.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnixClock {
    moment: Instant,
    since_1970: Duration,
}

/// The difference by which the system's clock counts as set by somebody.
const SET: Duration = Duration::from_millis(50);

// === impl UnixClock ===

impl UnixClock {
    /// What the system's clock says.
    pub(super) fn now() -> Self {
        Self {
            moment: Instant::now(),
            since_1970: since_1970(),
        }
    }

    /// The same clock, unless the system's was set to another time meanwhile.
    pub(super) fn unless_set(self, now: Self) -> Self {
        let expected = self.at(now.moment);
        if expected.abs_diff(now.since_1970) > SET {
            now
        } else {
            self
        }
    }

    /// Nanoseconds since 1970; until the year 2554.
    pub(super) fn nanoseconds(self, moment: Instant) -> u64 {
        u64::try_from(self.at(moment).as_nanos()).unwrap_or(u64::MAX)
    }

    fn at(self, moment: Instant) -> Duration {
        match moment.checked_duration_since(self.moment) {
            Some(later) => self.since_1970 + later,
            None => self.since_1970.saturating_sub(self.moment - moment),
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
            since_1970: Duration::from_secs(1000),
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
        let at = |after, since_1970| UnixClock {
            moment: moment + Duration::from_secs(after),
            since_1970: Duration::from_millis(since_1970),
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
