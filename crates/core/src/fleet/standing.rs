//! The standing of an edge: together with its fleet or alone, and since when.

use std::time::Duration;

use crate::unix_time::UnixTime;

/// The standing of this edge: together with its fleet or alone, and since when.
#[derive(Debug, Default)]
pub struct FleetStanding {
    /// True if the last exchange succeeded.
    pub is_together: bool,
    /// The moment at which it joined its fleet, or parted from it.
    pub since: UnixTime,
    /// The reason for which it is alone.
    pub fault: Option<String>,
    /// The duration of the last exchange.
    pub exchange: Duration,
}

// === impl FleetStanding ===

impl FleetStanding {
    /// Notes that the store was reached, and returns how long it was not.
    pub fn join(&mut self, now: UnixTime) -> Duration {
        let alone = match self.fault.take() {
            Some(_) => now.saturating_since(self.since),
            None => Duration::ZERO,
        };
        (self.is_together, self.since) = (true, now);
        alone
    }

    /// Notes that the store is of no use. True if it was until now, or was never tried.
    pub fn part(&mut self, now: UnixTime, fault: String) -> bool {
        let is_new = self.is_together || self.fault.is_none();
        if is_new {
            (self.is_together, self.since) = (false, now);
        }
        self.fault = Some(fault);
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> UnixTime {
        UnixTime::from_secs(seconds)
    }

    #[test]
    fn a_fault_is_told_once_and_lasts_until_the_edges_meet() {
        let mut standing = FleetStanding::default();
        assert!(standing.part(at(5), "refused".to_owned()));
        assert!(!standing.part(at(9), "silent".to_owned()));
        assert_eq!(
            (standing.since, standing.fault.as_deref()),
            (at(5), Some("silent"))
        );
        assert_eq!(standing.join(at(12)), Duration::from_secs(7));
        assert!(standing.is_together && standing.fault.is_none());
        assert!(standing.part(at(20), "silent".to_owned()));
        assert_eq!(standing.since, at(20));
    }

    #[test]
    fn an_edge_that_meets_its_fleet_at_once_was_never_alone() {
        assert_eq!(FleetStanding::default().join(at(7)), Duration::ZERO);
    }
}
