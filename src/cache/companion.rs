//! The signs of the companion plugin.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use calendar_edge_core::cache::CompanionSigns;

/// The last signs of the companion plugin; clones of the cache share them. Times are milliseconds since 1970; 0: never.
#[derive(Debug, Default)]
pub(super) struct Companion {
    since: AtomicU64,
    last: AtomicU64,
}

// === impl Companion ===

impl Companion {
    /// Notes a sign at a time since 1970. `is_unbroken` says that no change since the last sign was missed.
    pub(super) fn heard(&self, at: Duration, is_unbroken: bool) {
        let at = millis(at);
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
                last: Duration::from_millis(last),
                since: Duration::from_millis(self.since.load(Ordering::Acquire)),
            }),
        }
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
