//! The part of the budget that one body holds.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Context;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::timeout;

use super::budget_state::BudgetState;
use super::waiting_bodies::BodyId;

/// Time that a body waits for memory before it first has a slow one given up, and the interval after that.
const URGENCY: (Duration, Duration) = (Duration::from_millis(600), Duration::from_millis(100));

/// The memory of one body, counted until dropped.
#[derive(Debug)]
pub(crate) struct Share {
    state: Arc<Mutex<BudgetState>>,
    id: BodyId,
    bytes: usize,
    is_paused: bool,
    /// True while the body waits for memory.
    pub(super) waits: bool,
}

// === impl Share ===

impl Share {
    pub(super) fn new(state: &Arc<Mutex<BudgetState>>, bytes: usize) -> Self {
        let mut locked = state.lock();
        locked.add(bytes);
        Self {
            id: locked.pauses.number(),
            state: Arc::clone(state),
            bytes,
            is_paused: false,
            waits: false,
        }
    }

    /// Waits until the body may take this many bytes in all.
    pub(super) async fn grow(&mut self, wanted: usize) {
        if wanted <= self.bytes {
            return;
        }
        self.waits = true;
        let (state, id, held) = (&self.state, self.id, self.bytes);
        let grown = poll_fn(|cx| state.lock().poll_grow(id, held, wanted, cx.waker()));
        tokio::pin!(grown);
        let mut pause = URGENCY.0;
        while timeout(pause, grown.as_mut()).await.is_err() {
            state.lock().preempt_for(id);
            pause = URGENCY.1;
        }
        self.bytes = wanted;
        self.waits = false;
    }

    /// Notes that the body waits for its client; false if it was given up for others.
    pub(crate) fn pauses(&mut self, cx: &Context<'_>) -> bool {
        self.is_paused = true;
        self.state.lock().pauses.begin(self.id, self.bytes, cx)
    }

    /// Notes that the client has sent something.
    pub(super) fn resumes(&mut self) {
        if std::mem::take(&mut self.is_paused) {
            self.state.lock().pauses.end(self.id);
        }
    }

    /// Notes that the client has sent so many bytes, which pass on, or that it has ended. For a budget without a limit,
    /// in which nothing is counted.
    pub(crate) fn passes(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_add(bytes);
        self.resumes();
    }

    /// Notes that nothing waits for the client any more.
    pub(super) fn completes(&mut self) {
        self.state.lock().pauses.forget(self.id);
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.state.lock().end(self.id, self.bytes);
    }
}
