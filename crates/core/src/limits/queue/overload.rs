//! Overload of the site, distinguished from a queue that is long for a moment only.

use std::time::Duration;

/// Distinguishes a burst from lasting overload by the time that anonymous reads waited, as `CoDel` does (RFC 8289):
/// overload lasts when every wait of an interval was longer than the target.
///
/// It acts at the other end than `CoDel`: it refuses requests that come, and never drops those that have waited
/// longest.
#[derive(Debug)]
pub(super) struct Overload {
    target: Duration,
    interval: Duration,
    /// The time at which waits became longer than the target; none: the last one was not.
    above_since: Option<Duration>,
    is_lasting: bool,
    /// The time in which the queue moves on by one place.
    pace: Duration,
    /// The time at which it last moved on.
    moved_at: Duration,
}

/// The part of the target below which a wait ends lasting overload: with the target itself, it would come and go.
const RELIEF: u32 = 2;

/// The share of a new measurement in the pace: one in so many.
const WEIGHT: u32 = 4;

// === impl Overload ===

impl Overload {
    /// No overload. The target is the wait that remains while overload lasts, the interval the time after which waits
    /// above it count as lasting.
    pub(super) const fn new(target: Duration, interval: Duration) -> Self {
        Self {
            target,
            interval,
            above_since: None,
            is_lasting: false,
            pace: Duration::ZERO,
            moved_at: Duration::ZERO,
        }
    }

    /// Notes a permit for a request that waited so long, with so many of the same rank ahead at first.
    pub(super) fn granted(&mut self, waited: Duration, ahead: usize, now: Duration) {
        let sample = waited / places(ahead);
        self.pace = (self.pace * (WEIGHT - 1) + sample) / WEIGHT;
        self.moved_at = now;
        self.waited(waited, now);
    }

    /// Notes that a request still waits, or gave up, after so long: a short time proves nothing.
    pub(super) fn waits(&mut self, waited: Duration, now: Duration) {
        if waited >= self.target {
            self.waited(waited, now);
        }
    }

    fn waited(&mut self, waited: Duration, now: Duration) {
        if waited >= self.target {
            let since = *self.above_since.get_or_insert(now);
            self.is_lasting |= now.saturating_sub(since) >= self.interval;
        } else if !self.is_lasting || waited < self.target / RELIEF {
            self.ended();
        }
    }

    /// Notes that no request waits any more.
    pub(super) const fn ended(&mut self) {
        self.above_since = None;
        self.is_lasting = false;
    }

    /// Returns true if one more may wait behind so many: always, unless overload lasts and the wait would be longer than
    /// the target.
    pub(super) fn admits(&self, waiting: usize, now: Duration) -> bool {
        !self.is_lasting || self.expected(waiting, now) <= self.target
    }

    /// The wait behind so many. A site that has responded to nothing for a while is not faster than that.
    fn expected(&self, waiting: usize, now: Duration) -> Duration {
        let pace = self.pace.max(now.saturating_sub(self.moved_at));
        pace.saturating_mul(places(waiting))
    }
}

/// The places up to the permit with so many ahead.
fn places(ahead: usize) -> u32 {
    u32::try_from(ahead).unwrap_or(u32::MAX).saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TARGET: Duration = Duration::from_secs(1);
    const INTERVAL: Duration = Duration::from_secs(2);

    fn millis(number: u64) -> Duration {
        Duration::from_millis(number)
    }

    /// A permit each 100 ms from the first time to the second, for requests that waited so long with ten ahead.
    fn granting(overload: &mut Overload, times: std::ops::Range<u64>, waited: u64) {
        for now in times.step_by(100) {
            overload.granted(millis(waited), 10, millis(now));
        }
    }

    #[test]
    fn waits_above_the_target_are_a_burst_until_they_last() {
        let mut overload = Overload::new(TARGET, INTERVAL);
        granting(&mut overload, 0..2000, 1100);
        assert!(overload.admits(200, millis(1999)));
        granting(&mut overload, 2000..2100, 1100);
        assert!(!overload.admits(200, millis(2001)));
        assert!(overload.admits(5, millis(2001)), "behind few the wait is short");
    }

    #[test]
    fn one_short_wait_begins_the_interval_again() {
        let mut overload = Overload::new(TARGET, INTERVAL);
        granting(&mut overload, 0..1900, 1100);
        granting(&mut overload, 1900..2000, 900);
        granting(&mut overload, 2000..3900, 1100);
        assert!(overload.admits(200, millis(3900)));
    }

    #[test]
    fn lasting_overload_ends_with_half_of_the_target() {
        let mut overload = Overload::new(TARGET, INTERVAL);
        granting(&mut overload, 0..2100, 1100);
        granting(&mut overload, 2100..5000, 600);
        assert!(!overload.admits(200, millis(5000)));
        granting(&mut overload, 5000..5100, 400);
        assert!(overload.admits(200, millis(5100)));
    }

    #[test]
    fn a_site_that_stands_still_is_not_expected_to_move() {
        let mut overload = Overload::new(TARGET, INTERVAL);
        granting(&mut overload, 0..2100, 1100);
        assert!(overload.admits(0, millis(2500)));
        assert!(!overload.admits(0, millis(3100)));
    }

    #[test]
    fn nobody_waiting_is_no_overload() {
        let mut overload = Overload::new(TARGET, INTERVAL);
        granting(&mut overload, 0..2100, 1100);
        overload.ended();
        assert!(overload.admits(usize::MAX, millis(2100)));
    }
}
