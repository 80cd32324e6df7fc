//! The budget of copies: how many per second, and how many at once.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::telemetry::CopySkip;
use calendar_edge_core::settings::ShadowRule;

/// The budget of one rule. Nothing waits for it: what exceeds it is not copied.
#[derive(Debug)]
pub(in crate::gateway) struct CopyBudget {
    places: Arc<Semaphore>,
    pause: Duration,
    /// When a whole second's worth of copies will be free again.
    full_at: Mutex<Option<Instant>>,
}

/// Why a call is not copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::gateway) enum OverBudget {
    /// As many run as may.
    InFlight,
    /// As many began in this second as may.
    Rate,
}

/// The time over which the rate is counted.
const SECOND: Duration = Duration::from_secs(1);

// === impl CopyBudget ===

impl CopyBudget {
    pub(in crate::gateway) fn new(rule: &ShadowRule) -> Self {
        Self {
            places: Arc::new(Semaphore::new(rule.in_flight)),
            pause: SECOND / rule.requests_per_second.max(1),
            full_at: Mutex::new(None),
        }
    }

    /// A place for one copy, which is held until the place is dropped.
    pub(in crate::gateway) fn take(&self, now: Instant) -> Result<OwnedSemaphorePermit, OverBudget> {
        let place = Arc::clone(&self.places).try_acquire_owned();
        let place = place.map_err(|_| OverBudget::InFlight)?;
        let mut full_at = self.full_at.lock().unwrap_or_else(PoisonError::into_inner);
        let next = full_at.map_or(now, |at| at.max(now)) + self.pause;
        if next - now > SECOND {
            return Err(OverBudget::Rate);
        }
        *full_at = Some(next);
        Ok(place)
    }
}

// === impl OverBudget ===

impl OverBudget {
    /// The reason in metrics.
    pub(in crate::gateway) const fn skip(self) -> CopySkip {
        match self {
            Self::InFlight => CopySkip::InFlight,
            Self::Rate => CopySkip::Rate,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(requests_per_second: u32, in_flight: usize) -> CopyBudget {
        CopyBudget::new(&ShadowRule {
            requests_per_second,
            in_flight,
            ..ShadowRule::default()
        })
    }

    #[test]
    fn a_second_has_its_number_of_copies() {
        let budget = budget(4, 100);
        let start = Instant::now();
        let taken = |at: Duration| (0..10).filter(|_| budget.take(start + at).is_ok()).count();
        assert_eq!(taken(Duration::ZERO), 4);
        assert_eq!(taken(Duration::from_millis(499)), 1);
        assert_eq!(taken(Duration::from_mins(1)), 4);
        assert_eq!(budget.take(start).unwrap_err(), OverBudget::Rate);
    }

    #[test]
    fn copies_that_run_keep_their_places() {
        let budget = budget(100, 2);
        let now = Instant::now();
        let first = budget.take(now).unwrap();
        let _second = budget.take(now).unwrap();
        assert_eq!(budget.take(now).unwrap_err(), OverBudget::InFlight);
        drop(first);
        assert!(budget.take(now).is_ok());
    }
}
