//! The time for which clients have paused their bodies, and the bodies that are given up for it.

use std::collections::HashMap;
use std::task::{Context, Waker};
use std::time::Duration;

use tokio::time::Instant;

use super::waiting_bodies::BodyId;

/// Total time that a client may pause its body before others that wait for memory can end it.
///
/// Shorter than the wait of those others, so that it always passes before they give up.
const TOLERATED: Duration = Duration::from_millis(500);

/// The pauses of one client. While others wait for memory, the slowest body is given up.
#[derive(Debug, Default)]
struct Pause {
    /// The bytes of the body that had come when it began to wait.
    bytes: usize,
    /// The total of the pauses that are over.
    total: Duration,
    /// The start of the present pause, and the task that waits for the client.
    present: Option<(Instant, Waker)>,
    given_up: bool,
}

// === impl Pause ===

impl Pause {
    /// The task waits for the client from now on, or goes on doing so.
    fn begin(&mut self, waker: &Waker) {
        let since = self
            .present
            .as_ref()
            .map_or_else(Instant::now, |(since, _)| *since);
        self.present = Some((since, waker.clone()));
    }

    /// The client has sent something.
    fn end(&mut self) {
        if let Some((since, _)) = self.present.take() {
            self.total += since.elapsed();
        }
    }

    /// The bytes received in each second of pause, if the client is pausing and has done so for long enough.
    fn rate(&self, now: Instant) -> Option<u128> {
        let (since, _) = self.present.as_ref().filter(|_| !self.given_up)?;
        let total = self.total + now.saturating_duration_since(*since);
        let bytes = u128::try_from(self.bytes).unwrap_or(u128::MAX);
        (total >= TOLERATED).then(|| bytes.saturating_mul(1000) / total.as_millis().max(1))
    }

    /// Gives the body up: its task ends it.
    fn give_up(&mut self) {
        self.given_up = true;
        if let Some((_, waker)) = &self.present {
            waker.wake_by_ref();
        }
    }
}

/// The bodies that wait, or have waited, for their clients.
#[derive(Debug, Default)]
pub(super) struct Pauses {
    /// The last body that began, whether it has waited or not.
    begun: BodyId,
    waiting: HashMap<BodyId, Pause>,
}

// === impl Pauses ===

impl Pauses {
    /// Numbers the next body.
    pub(super) const fn number(&mut self) -> BodyId {
        self.begun += 1;
        self.begun
    }

    /// Notes that a body, of which so many bytes have come, waits for its client; false if it was given up.
    pub(super) fn begin(&mut self, id: BodyId, bytes: usize, cx: &Context<'_>) -> bool {
        let pause = self.waiting.entry(id).or_default();
        if !pause.given_up {
            pause.bytes = bytes;
            pause.begin(cx.waker());
        }
        !pause.given_up
    }

    /// Notes that the client of a body has sent something.
    pub(super) fn end(&mut self, id: BodyId) {
        if let Some(pause) = self.waiting.get_mut(&id) {
            pause.end();
        }
    }

    /// Forgets a body.
    pub(super) fn forget(&mut self, id: BodyId) {
        self.waiting.remove(&id);
    }

    /// Gives up the body with the fewest bytes per second of pause, among those that pause for too long.
    pub(super) fn give_up_slowest(&mut self) {
        let now = Instant::now();
        let pauses = self.waiting.values_mut();
        let rates = pauses.filter_map(|pause| Some((pause.rate(now)?, pause)));
        if let Some((_, pause)) = rates.min_by_key(|(rate, _)| *rate) {
            pause.give_up();
        }
    }
}
