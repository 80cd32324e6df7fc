//! One bucket by the generic cell rate algorithm: calls up to the rate may come at once, further calls are
//! spread evenly.

use std::time::{Duration, Instant};

use crate::settings::Rate;

/// The level of a bucket after a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Level {
    /// The time when the bucket will be full again. No other state is needed.
    pub full_at: Instant,
    /// Number of calls that may follow at once.
    pub left: u32,
}

/// Takes one call out of a bucket that will be full at `full_at` (`None`: it is full now).
///
/// # Errors
/// The time until the bucket has a call.
pub(super) fn spend(rate: &Rate, full_at: Option<Instant>, now: Instant) -> Result<Level, Duration> {
    let requests = rate.requests.max(1);
    let share = share(rate);
    // The period rounded, so that shares fill it exactly.
    let whole = share * requests;
    let full_at = full_at.map_or(now, |at| at.max(now)) + share;
    let spent = full_at - now;
    match whole.checked_sub(spent) {
        Some(rest) => Ok(Level {
            full_at,
            left: times(rest, share),
        }),
        None => Err(spent.saturating_sub(whole)),
    }
}

/// The part of one call's share that the bucket has not regained yet; `full_at` is when it was to be full after the
/// call.
pub(super) fn outstanding(share: Duration, full_at: Instant, now: Instant) -> Duration {
    full_at.saturating_duration_since(now).min(share)
}

/// The time in which a bucket regains one call.
pub(super) fn share(rate: &Rate) -> Duration {
    rate.period / rate.requests.max(1)
}

fn times(whole: Duration, part: Duration) -> u32 {
    let times = whole.as_nanos().checked_div(part.as_nanos()).unwrap_or(0);
    u32::try_from(times).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rate(requests: u32, seconds: u64) -> Rate {
        Rate {
            requests,
            period: Duration::from_secs(seconds),
        }
    }

    /// The levels after calls at these seconds; `None` for a refused call.
    fn left(rate: &Rate, calls: &[u64]) -> Vec<Option<u32>> {
        let start = Instant::now();
        let mut full_at = None;
        let spent = calls.iter().map(|second| {
            let level = spend(rate, full_at, start + Duration::from_secs(*second)).ok()?;
            full_at = Some(level.full_at);
            Some(level.left)
        });
        spent.collect()
    }

    #[test]
    fn a_bucket_empties_at_once_and_fills_evenly() {
        for (calls, expected) in [
            (&[0, 0, 0][..], &[Some(2), Some(1), Some(0)][..]),
            (&[0, 0, 0, 0, 9], &[Some(2), Some(1), Some(0), None, None]),
            (&[0, 0, 0, 10, 10], &[Some(2), Some(1), Some(0), Some(0), None]),
            (&[0, 0, 0, 30, 30], &[Some(2), Some(1), Some(0), Some(2), Some(1)]),
            (&[0, 10, 20, 1000], &[Some(2), Some(2), Some(2), Some(2)]),
        ] {
            assert_eq!(left(&rate(3, 30), calls), expected, "{calls:?}");
        }
    }

    #[test]
    fn a_refusal_returns_the_time_to_wait() {
        let now = Instant::now();
        let rate = rate(2, 10);
        let full_at = now + Duration::from_secs(10);
        assert_eq!(spend(&rate, Some(full_at), now), Err(Duration::from_secs(5)));
        assert!(spend(&rate, Some(full_at), now + Duration::from_secs(5)).is_ok());
    }

    proptest! {
        #[test]
        fn never_more_than_twice_the_rate_passes_in_a_period(
            requests in 1u32..20,
            gaps in prop::collection::vec(0u64..2000, 1..200),
        ) {
            let rate = rate(requests, 10);
            let start = Instant::now();
            let (mut at, mut full_at, mut passed) = (start, None, Vec::new());
            for gap in gaps {
                at += Duration::from_millis(gap);
                if let Ok(level) = spend(&rate, full_at, at) {
                    full_at = Some(level.full_at);
                    passed.push(at);
                }
            }
            for first in &passed {
                let within = passed.iter().filter(|at| *at >= first && **at - *first < rate.period).count();
                prop_assert!(within <= 2 * requests as usize);
            }
        }
    }
}
