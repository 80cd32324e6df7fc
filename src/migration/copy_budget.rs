//! The budget of copies: how many per second, and how many at once.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::metrics::CopySkip;
use calendar_edge_core::limits::FleetSize;
use calendar_edge_core::settings::ShadowRule;

/// The budget of one rule. Nothing waits for it: a copy that exceeds it is not made.
#[derive(Debug)]
pub(crate) struct CopyBudget {
    places: Arc<Semaphore>,
    in_flight: usize,
    per_second: usize,
    /// The edges of a fleet have equal parts of both.
    edges: FleetSize,
    /// When a whole second's worth of copies will be free again.
    full_at: Mutex<Option<Instant>>,
}

/// The time over which the rate is counted.
const SECOND: Duration = Duration::from_secs(1);

// === impl CopyBudget ===

impl CopyBudget {
    pub(crate) fn new(rule: &ShadowRule, edges: &FleetSize) -> Self {
        Self {
            places: Arc::new(Semaphore::new(rule.in_flight)),
            in_flight: rule.in_flight,
            per_second: usize::try_from(rule.requests_per_second).unwrap_or(usize::MAX),
            edges: edges.clone(),
            full_at: Mutex::new(None),
        }
    }

    /// A place for one copy, which is held until the place is dropped, or why there is none.
    pub(crate) fn take(&self, now: Instant) -> Result<OwnedSemaphorePermit, CopySkip> {
        let mut full_at = self.full_at.lock();
        let running = self.in_flight.saturating_sub(self.places.available_permits());
        if running >= self.edges.equal_part(self.in_flight) {
            return Err(CopySkip::InFlight);
        }
        let place = Arc::clone(&self.places).try_acquire_owned();
        let place = place.map_err(|_| CopySkip::InFlight)?;
        let per_second = self.edges.equal_part(self.per_second);
        let pause = SECOND / u32::try_from(per_second).unwrap_or(u32::MAX);
        let next = full_at.map_or(now, |at| at.max(now)) + pause;
        if next - now > SECOND {
            return Err(CopySkip::Rate);
        }
        *full_at = Some(next);
        Ok(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(requests_per_second: u32, in_flight: usize) -> CopyBudget {
        of_edge(requests_per_second, in_flight, &FleetSize::default())
    }

    fn of_edge(requests_per_second: u32, in_flight: usize, edges: &FleetSize) -> CopyBudget {
        let rule = ShadowRule {
            requests_per_second,
            in_flight,
            ..ShadowRule::default()
        };
        CopyBudget::new(&rule, edges)
    }

    #[test]
    fn a_second_has_its_number_of_copies() {
        let budget = budget(4, 100);
        let start = Instant::now();
        let taken = |at: Duration| (0..10).filter(|_| budget.take(start + at).is_ok()).count();
        assert_eq!(taken(Duration::ZERO), 4);
        assert_eq!(taken(Duration::from_millis(499)), 1);
        assert_eq!(taken(Duration::from_mins(1)), 4);
        assert_eq!(budget.take(start).unwrap_err(), CopySkip::Rate);
    }

    #[test]
    fn copies_that_run_keep_their_places() {
        let budget = budget(100, 2);
        let now = Instant::now();
        let first = budget.take(now).unwrap();
        let _second = budget.take(now).unwrap();
        assert_eq!(budget.take(now).unwrap_err(), CopySkip::InFlight);
        drop(first);
        assert!(budget.take(now).is_ok());
    }

    #[test]
    fn edges_of_a_fleet_have_equal_parts() {
        let edges = FleetSize::new(2);
        let (rate, places) = (of_edge(4, 100, &edges), of_edge(100, 4, &edges));
        let now = Instant::now();
        let taken = |budget: &CopyBudget| {
            let taken: Vec<_> = (0..10).filter_map(|_| budget.take(now).ok()).collect();
            taken.len()
        };
        assert_eq!((taken(&rate), taken(&places)), (2, 2));
        edges.set(1, 0);
        assert_eq!(taken(&places), 4);
    }
}
