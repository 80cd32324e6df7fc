//! How long a client may keep the edge waiting, when every byte it moves earns it time.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

/// Time that is used up while a client keeps us waiting, and comes back with the bytes it moves, and while it
/// does not.
///
/// A limit on the gap between two bytes would let a client that moves one now and then stay for ever; a limit on
/// the whole would cut honest clients with much to move. So a client that moves nothing is lost first, and one
/// below the pace a little later, however its bytes are spread.
#[derive(Debug)]
pub(crate) struct MinRate {
    left: Duration,
    most: Duration,
    /// Bytes that earn a second; 0: each earns all.
    pace: u64,
    turn: Turn,
    // Boxed, because its owners are moved while they are polled; made with the first wait.
    clock: Option<Pin<Box<Sleep>>>,
}

/// Who keeps whom waiting.
#[derive(Debug, Clone, Copy)]
enum Turn {
    /// Nobody has waited for the client yet.
    Fresh,
    /// The client keeps us waiting since then.
    Client(Instant),
    /// It does not, since then.
    Ours(Instant),
}

// === impl MinRate ===

impl MinRate {
    /// So much time at first, never more than `most`, a second of it earned by `pace` bytes.
    pub(crate) const fn new(left: Duration, most: Duration, pace: u64) -> Self {
        Self {
            left,
            most,
            pace,
            turn: Turn::Fresh,
            clock: None,
        }
    }

    /// Ready when it is lost; polled whenever the client keeps us waiting.
    pub(crate) fn poll_exceeded(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let end = self.client_began() + self.left;
        let clock = self.clock.get_or_insert_with(|| Box::pin(sleep_until(end)));
        if clock.deadline() != end {
            clock.as_mut().reset(end);
        }
        clock.as_mut().poll(cx)
    }

    /// The client moved so many bytes, none of them perhaps, and keeps us waiting no longer.
    pub(crate) fn moved(&mut self, bytes: usize) {
        if let Turn::Client(since) = self.turn {
            let now = Instant::now();
            self.left = self.left.saturating_sub(now - since);
            self.turn = Turn::Ours(now);
        }
        if bytes > 0 {
            self.earn(self.worth(bytes));
        }
    }

    fn client_began(&mut self) -> Instant {
        if let Turn::Client(since) = self.turn {
            return since;
        }
        let now = Instant::now();
        if let Turn::Ours(since) = self.turn {
            self.earn(now - since);
        }
        self.turn = Turn::Client(now);
        now
    }

    fn earn(&mut self, time: Duration) {
        self.left = self.left.saturating_add(time).min(self.most);
    }

    fn worth(&self, bytes: usize) -> Duration {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let nanoseconds = bytes.saturating_mul(1_000_000_000).checked_div(self.pace);
        nanoseconds.map_or(self.most, Duration::from_nanos)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// The seconds until min_rate is lost with a client that moves so many bytes after each pause.
    async fn lasts(mut min_rate: MinRate, bytes: usize, pause: Duration) -> u64 {
        let started = Instant::now();
        while started.elapsed() < Duration::from_hours(1) {
            let lost = poll_fn(|cx| min_rate.poll_exceeded(cx));
            if tokio::time::timeout(pause, lost).await.is_ok() {
                break;
            }
            min_rate.moved(bytes);
        }
        started.elapsed().as_secs()
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_below_the_pace_is_lost_however_its_bytes_are_spread() {
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
    async fn without_a_pace_every_byte_earns_all() {
        let min_rate = MinRate::new(30 * SECOND, 30 * SECOND, 0);
        assert_eq!(lasts(min_rate, 1, 29 * SECOND).await, 3625);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_earned_at_once_is_no_more_than_the_most() {
        let mut min_rate = MinRate::new(5 * SECOND, 30 * SECOND, 1000);
        min_rate.moved(1_000_000);
        assert_eq!(lasts(min_rate, 0, SECOND).await, 30);
    }

    #[tokio::test(start_paused = true)]
    async fn time_in_which_nothing_waits_is_given_back() {
        let mut min_rate = MinRate::new(30 * SECOND, 30 * SECOND, 1000);
        let lost = poll_fn(|cx| min_rate.poll_exceeded(cx));
        assert!(tokio::time::timeout(20 * SECOND, lost).await.is_err());
        min_rate.moved(0);
        tokio::time::sleep(15 * SECOND).await;
        assert_eq!(lasts(min_rate, 0, SECOND).await, 25);
    }
}
