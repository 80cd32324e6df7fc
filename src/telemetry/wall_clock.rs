//! The wall clock, for timestamps and the age of kept answers; timers must not use it.

use std::time::{SystemTime, UNIX_EPOCH};

use calendar_edge_core::unix_time::UnixTime;

/// The time now; the epoch if the clock of the system is before it.
pub fn unix_time() -> UnixTime {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    UnixTime::after_epoch(since.unwrap_or_default())
}
