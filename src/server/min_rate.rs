//! The minimum rate at which a client must transfer bytes while the edge waits for it.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

/// A time allowance: spent while waiting for the client, refilled by bytes transferred and by time we are not
/// waiting.
///
/// A limit on the gap between two bytes would let a client stay forever if it sends one now and then. A limit
/// on the total time would cut off honest clients that transfer much. With an allowance, a client that
/// transfers nothing is cut off first, and one below the minimum rate somewhat later, however its bytes are
/// spread.
#[derive(Debug)]
pub(crate) struct MinRate {
    left: Duration,
    max: Duration,
    /// The bytes that refill one second; 0: each byte refills the whole allowance.
    bytes_per_second: u64,
    turn: Turn,
    // Boxed, because the owner moves while it is polled. Created at the first wait.
    clock: Option<Pin<Box<Sleep>>>,
}

/// The side that the transfer waits for.
#[derive(Debug, Clone, Copy)]
enum Turn {
    /// No wait for the client yet.
    Fresh,
    /// We have waited for the client since this time.
    Client(Instant),
    /// We have not waited for the client since this time.
    Ours(Instant),
}

// === impl MinRate ===

impl MinRate {
    /// Starts with the allowance `left`, which is never refilled beyond `max`. `bytes_per_second` bytes
    /// refill one second; if it is 0, each byte refills the whole allowance.
    pub(crate) const fn new(left: Duration, max: Duration, bytes_per_second: u64) -> Self {
        Self {
            left,
            max,
            bytes_per_second,
            turn: Turn::Fresh,
            clock: None,
        }
    }

    /// Ready when the allowance is used up. Must be polled whenever we wait for the client.
    pub(crate) fn poll_exceeded(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let end = self.client_began() + self.left;
        let clock = self.clock.get_or_insert_with(|| Box::pin(sleep_until(end)));
        if clock.deadline() != end {
            clock.as_mut().reset(end);
        }
        clock.as_mut().poll(cx)
    }

    /// Records that the client transferred this many bytes, perhaps 0, and that we do not wait for it any
    /// more.
    pub(crate) fn moved(&mut self, bytes: usize) {
        if let Turn::Client(since) = self.turn {
            let now = Instant::now();
            self.left = self.left.saturating_sub(now - since);
            self.turn = Turn::Ours(now);
        }
        if bytes > 0 {
            self.refill(self.worth(bytes));
        }
    }

    fn client_began(&mut self) -> Instant {
        if let Turn::Client(since) = self.turn {
            return since;
        }
        let now = Instant::now();
        if let Turn::Ours(since) = self.turn {
            self.refill(now - since);
        }
        self.turn = Turn::Client(now);
        now
    }

    fn refill(&mut self, time: Duration) {
        self.left = self.left.saturating_add(time).min(self.max);
    }

    fn worth(&self, bytes: usize) -> Duration {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let nanoseconds = bytes
            .saturating_mul(1_000_000_000)
            .checked_div(self.bytes_per_second);
        nanoseconds.map_or(self.max, Duration::from_nanos)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// The seconds until the allowance is used up by a client that transfers `bytes` after each `pause`.
    async fn lasts(mut min_rate: MinRate, bytes: usize, pause: Duration) -> u64 {
        let started = Instant::now();
        while started.elapsed() < Duration::from_hours(1) {
            let exceeded = poll_fn(|cx| min_rate.poll_exceeded(cx));
            if tokio::time::timeout(pause, exceeded).await.is_ok() {
                break;
            }
            min_rate.moved(bytes);
        }
        started.elapsed().as_secs()
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_below_the_rate_is_cut_off_however_its_bytes_are_spread() {
        let min_rate = || MinRate::new(30 * SECOND, 30 * SECOND, 1000);
        for (bytes, pause, seconds) in [
            (0, SECOND, 30),
            (1, 29 * SECOND, 30),
            (500, SECOND, 59),
            (5_000, 10 * SECOND, 50),
            (14_500, 29 * SECOND, 44),
            (1001, SECOND, 3600),
            (30_001, 29 * SECOND, 3625),
        ] {
            assert_eq!(
                lasts(min_rate(), bytes, pause).await,
                seconds,
                "{bytes} each {pause:?}"
            );
        }
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_rate_every_byte_refills_all() {
        let min_rate = MinRate::new(30 * SECOND, 30 * SECOND, 0);
        assert_eq!(lasts(min_rate, 1, 29 * SECOND).await, 3625);
    }

    #[tokio::test(start_paused = true)]
    async fn the_allowance_never_exceeds_its_maximum() {
        let mut min_rate = MinRate::new(5 * SECOND, 30 * SECOND, 1000);
        min_rate.moved(1_000_000);
        assert_eq!(lasts(min_rate, 0, SECOND).await, 30);
    }

    #[tokio::test(start_paused = true)]
    async fn time_without_waiting_refills_the_allowance() {
        let mut min_rate = MinRate::new(30 * SECOND, 30 * SECOND, 1000);
        let exceeded = poll_fn(|cx| min_rate.poll_exceeded(cx));
        assert!(tokio::time::timeout(20 * SECOND, exceeded).await.is_err());
        min_rate.moved(0);
        tokio::time::sleep(15 * SECOND).await;
        assert_eq!(lasts(min_rate, 0, SECOND).await, 25);
    }
}
