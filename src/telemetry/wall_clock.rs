//! The wall clock, for timestamps and the age of kept responses; timers must not use it.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use serde::Serializer;

use calendar_edge_core::unix_time::UnixTime;

/// The time now; the epoch if the clock of the system is before it.
pub fn unix_time() -> UnixTime {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    UnixTime::after_epoch(since.unwrap_or_default())
}

/// A moment as RFC 3339 writes it, in UTC, to the millisecond.
pub(crate) fn moment(time: UnixTime) -> String {
    let milliseconds = i64::try_from(time.as_millis()).unwrap_or_default();
    let moment = Timestamp::from_millisecond(milliseconds).unwrap_or_default();
    format!("{moment:.3}")
}

/// A second since 1970 as RFC 3339 writes it.
pub(crate) fn second(unix_time: i64) -> String {
    let moment = Timestamp::from_second(unix_time).unwrap_or_default();
    format!("{moment:.0}")
}

/// Writes a time as [`moment`] does.
pub(super) fn as_moment<S: Serializer>(time: &UnixTime, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&moment(*time))
}
