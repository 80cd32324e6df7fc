//! How long a client has paused its body.

use std::task::Waker;
use std::time::Duration;

use tokio::time::Instant;

/// Total time that a client may pause its body before others that wait for memory can end it.
///
/// Shorter than the wait of those others, so that it always passes before they give up.
const TOLERATED: Duration = Duration::from_millis(500);

/// The pauses of one client. While others wait for memory, the slowest body is given up.
#[derive(Debug, Default)]
pub(super) struct Pause {
    /// The total of the pauses that are over.
    total: Duration,
    /// The start of the present pause, and the task that waits for the client.
    present: Option<(Instant, Waker)>,
    given_up: bool,
}

// === impl Pause ===

impl Pause {
    /// The task waits for the client from now on, or goes on doing so.
    pub(super) fn begin(&mut self, waker: &Waker) {
        let since = self
            .present
            .as_ref()
            .map_or_else(Instant::now, |(since, _)| *since);
        self.present = Some((since, waker.clone()));
    }

    /// The client has sent something.
    pub(super) fn end(&mut self) {
        if let Some((since, _)) = self.present.take() {
            self.total += since.elapsed();
        }
    }

    /// The bytes received in each second of pause, if the client is pausing and has done so for long enough.
    pub(super) fn rate(&self, bytes: usize, now: Instant) -> Option<u128> {
        let (since, _) = self.present.as_ref().filter(|_| !self.given_up)?;
        let total = self.total + now.saturating_duration_since(*since);
        let bytes = u128::try_from(bytes).unwrap_or(u128::MAX);
        (total >= TOLERATED).then(|| bytes.saturating_mul(1000) / total.as_millis().max(1))
    }

    /// Gives the body up: its task ends it.
    pub(super) fn give_up(&mut self) {
        self.given_up = true;
        if let Some((_, waker)) = &self.present {
            waker.wake_by_ref();
        }
    }

    /// True if the body was given up.
    pub(super) const fn is_given_up(&self) -> bool {
        self.given_up
    }
}
