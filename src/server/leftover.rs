//! The bytes that a client still sends after the last response: consumed within a time, a size, and a total of pauses.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Sleep, sleep};

use super::min_rate::MinRate;

/// The most unread bytes that are consumed: four times the default of `limits.body_bytes`.
const MOST: usize = 32 * 1024 * 1024;

/// The time for which a client may pause while its unread bytes are consumed, in total, and the bytes that refill a
/// second of it. Slow clients cannot hold connections in this way longer than they could by sending nothing.
const PAUSE: (Duration, u64) = (Duration::from_secs(1), 64 * 1024);

/// The consumption of unread bytes.
#[derive(Debug)]
pub(crate) struct Leftover {
    bytes_left: usize,
    clock: Pin<Box<Sleep>>,
    min_rate: MinRate,
}

// === impl Leftover ===

impl Leftover {
    /// Consumes for so long at most, from now on.
    pub(crate) fn new(longest: Duration) -> Self {
        let (pause, bytes_per_second) = PAUSE;
        Self {
            bytes_left: MOST,
            clock: Box::pin(sleep(longest)),
            min_rate: MinRate::new(pause, pause, bytes_per_second),
        }
    }

    /// Ready at the end of the client's bytes, or of its time. `take` discards some bytes, and returns none at the end.
    pub(crate) fn poll_end(
        &mut self,
        cx: &mut Context<'_>,
        mut take: impl FnMut(&mut Context<'_>) -> Poll<Option<usize>>,
    ) -> Poll<()> {
        while self.clock.as_mut().poll(cx).is_pending() {
            let Poll::Ready(taken) = take(cx) else {
                return self.min_rate.poll_exceeded(cx);
            };
            let left = taken.and_then(|taken| {
                self.min_rate.moved(taken);
                self.bytes_left.checked_sub(taken)
            });
            match left {
                Some(left) => self.bytes_left = left,
                None => break,
            }
        }
        Poll::Ready(())
    }
}
