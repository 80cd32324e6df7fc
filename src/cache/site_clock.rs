//! The time zone of the site, and the times at which it is requested.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::ArcSwapOption;

use calendar_edge_core::cache::SiteZone;
use calendar_edge_core::unix_time::UnixTime;

/// The zone as the site last stated it.
#[derive(Debug, Default)]
pub(crate) struct SiteClock {
    zone: ArcSwapOption<SiteZone>,
    /// The seconds of a [`UnixTime`]; 0: never.
    requested_at: AtomicU64,
}

/// The time between two requests for the zone while it is known.
const KNOWN: u64 = 600;

/// The same while it is not.
const UNKNOWN: u64 = 30;

// === impl SiteClock ===

impl SiteClock {
    /// The zone, if it is known.
    pub(crate) fn zone(&self) -> Option<Arc<SiteZone>> {
        self.zone.load_full()
    }

    /// Returns true for one caller after each pause: that one requests the zone.
    pub(crate) fn is_due(&self, now: UnixTime) -> bool {
        let requested_at = self.requested_at.load(Ordering::Relaxed);
        let pause = if self.zone.load().is_some() {
            KNOWN
        } else {
            UNKNOWN
        };
        let is_due = now.as_secs() >= requested_at.saturating_add(pause);
        is_due
            && self
                .requested_at
                .compare_exchange(requested_at, now.as_secs(), Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
    }

    /// Takes the zone that the site stated.
    pub(crate) fn set(&self, zone: SiteZone) {
        self.zone.store(Some(Arc::new(zone)));
    }

    /// Has the zone requested with the next response that depends on it: everything may have changed.
    pub(super) fn doubt(&self) {
        self.requested_at.store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_caller_asks_at_a_time() {
        let clock = SiteClock::default();
        let at = UnixTime::from_secs;
        assert!(clock.is_due(at(1000)));
        assert!(!clock.is_due(at(1029)));
        assert!(clock.is_due(at(1030)));
        clock.set(SiteZone::of_index(br#"{"gmt_offset":1}"#).unwrap());
        assert!(!clock.is_due(at(1629)));
        clock.doubt();
        assert!(clock.is_due(at(1629)));
        assert!(!clock.is_due(at(1629)));
    }
}
