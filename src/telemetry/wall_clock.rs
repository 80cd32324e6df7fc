//! The wall clock, for timestamps and the age of kept answers; timers must not use it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Seconds since 1970.
pub(crate) fn unix_time() -> i64 {
    i64::try_from(since_1970().as_secs()).unwrap_or(i64::MAX)
}

/// The time since 1970.
pub(crate) fn since_1970() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}
