//! The signs of the companion plugin.

use std::sync::atomic::{AtomicU64, Ordering};

use calendar_edge_core::cache::CompanionSigns;
use calendar_edge_core::unix_time::UnixTime;

/// The last signs of the companion plugin; clones of the cache share them. Times are in the milliseconds of a
/// [`UnixTime`]; 0: never.
#[derive(Debug, Default)]
pub(super) struct Companion {
    since: AtomicU64,
    last: AtomicU64,
}

// === impl Companion ===

impl Companion {
    /// Notes a sign. `is_unbroken` says that no change since the last sign was missed.
    pub(super) fn heard(&self, at: UnixTime, is_unbroken: bool) {
        let at = at.as_millis();
        if !is_unbroken || self.last.load(Ordering::Acquire) == 0 {
            self.since.store(at, Ordering::Release);
        }
        self.last.fetch_max(at, Ordering::AcqRel);
    }

    /// The signs, if there was any.
    pub(super) fn signs(&self) -> Option<CompanionSigns> {
        match self.last.load(Ordering::Acquire) {
            0 => None,
            last => Some(CompanionSigns {
                last: UnixTime::from_millis(last),
                since: UnixTime::from_millis(self.since.load(Ordering::Acquire)),
            }),
        }
    }
}
