//! The pace of the queue before the permits, and the pauses that clients may make in their responses while it stands.

use std::time::Duration;

use tokio::time::Instant;

/// Time within which a crowd of slow readers gives a permit to each request that waits. The rest of it is divided by
/// the rounds of permits that they need.
const CROWD: Duration = Duration::from_millis(500);

/// The shortest pause that counts: a client that reads on is not seen to pause longer.
pub(super) const NOTABLE: Duration = Duration::from_millis(10);

/// Time over which the pace is measured.
const WINDOW: Duration = Duration::from_millis(100);

/// A queue that is served within this many seconds moves: no client has to give way.
const SOON: u64 = 2;

/// The pace at which permits come free by themselves, while requests wait.
#[derive(Debug)]
pub(super) struct QueuePace {
    begun: Instant,
    freed_before: u64,
    revoked: u64,
    /// Permits in each second of the last window; none: not measured yet.
    per_second: Option<u64>,
}

/// The present pause that a client of a crowd may make while so many requests wait for these permits, one of them for
/// so long.
pub(super) fn tolerated(permits: usize, waiting: usize, waited: Duration) -> Duration {
    let rounds = waiting.div_ceil(permits.max(1)).max(1);
    let left = CROWD.saturating_sub(waited);
    (left / u32::try_from(rounds).unwrap_or(u32::MAX)).max(NOTABLE)
}

// === impl QueuePace ===

impl QueuePace {
    /// A pace that is measured from now on.
    pub(super) fn new() -> Self {
        Self {
            begun: Instant::now(),
            freed_before: 0,
            revoked: 0,
            per_second: None,
        }
    }

    /// Notes how many permits have come free since the start, for whatever reason.
    pub(super) fn note(&mut self, freed: u64) {
        let elapsed = self.begun.elapsed();
        if elapsed < WINDOW {
            return;
        }
        // A longer gap is a time in which no request waited.
        self.per_second = (elapsed < 2 * WINDOW).then(|| {
            let freed = freed
                .saturating_sub(self.freed_before)
                .saturating_sub(self.revoked);
            let millis = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
            freed.saturating_mul(1000) / millis.max(1)
        });
        self.begun = Instant::now();
        self.freed_before = freed;
        self.revoked = 0;
    }

    /// Notes that so many permits were revoked.
    pub(super) const fn revoked(&mut self, permits: u64) {
        self.revoked = self.revoked.saturating_add(permits);
    }

    /// Returns true if so many requests would wait for long at this pace.
    pub(super) fn is_too_slow_for(&self, waiting: usize) -> bool {
        let served = self.per_second.map(|pace| pace.saturating_mul(SOON));
        served.is_some_and(|served| u64::try_from(waiting).unwrap_or(u64::MAX) > served)
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_comes_free_by_itself_is_the_pace() {
        let mut pace = QueuePace::new();
        assert!(!pace.is_too_slow_for(100), "not measured yet");
        advance(WINDOW).await;
        pace.revoked(8);
        pace.note(13);
        assert!(!pace.is_too_slow_for(100), "5 in 0.1 s");
        assert!(pace.is_too_slow_for(101));
        advance(WINDOW).await;
        pace.note(13);
        assert!(pace.is_too_slow_for(1), "nothing came free");
        advance(10 * WINDOW).await;
        pace.note(13);
        assert!(!pace.is_too_slow_for(1), "no request waited meanwhile");
    }

    #[test]
    fn those_who_wait_share_half_a_second() {
        let tolerated = |waiting, waited| tolerated(8, waiting, Duration::from_millis(waited)).as_millis();
        assert_eq!(tolerated(1, 0), 500);
        assert_eq!(tolerated(80, 0), 50);
        assert_eq!(tolerated(80, 400), 10);
        assert_eq!(tolerated(8, 900), 10);
    }
}
