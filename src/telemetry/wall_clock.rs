//! The wall clock, for timestamps and the age of kept answers; timers must not use it.

use std::time::SystemTime;

use calendar_edge_core::unix_time::UnixTime;

/// What time it is.
pub(crate) fn unix_time() -> UnixTime {
    UnixTime::of(SystemTime::now()).unwrap_or_default()
}
