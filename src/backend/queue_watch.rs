//! The view that the caller of a backend has of its call in the queue, and its way to give up the place.

use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

/// The link between a call and its caller while the call waits for a permit; clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct QueueWatch {
    is_waiting: watch::Sender<bool>,
    given_up: CancellationToken,
}

/// Shows the call as waiting until dropped.
#[derive(Debug)]
pub(super) struct WaitingGuard<'a>(&'a QueueWatch);

// === impl QueueWatch ===

impl QueueWatch {
    /// Ends when the call waits. This and [`Self::left`] keep no lock of the watch, so that the call may be dropped
    /// then.
    pub(crate) async fn queued(&self) {
        self.until(true).await;
    }

    /// Ends when the call does not wait.
    pub(crate) async fn left(&self) {
        self.until(false).await;
    }

    async fn until(&self, is_waiting: bool) {
        // This holds the sender.
        let _ = self.is_waiting.subscribe().wait_for(|is| *is == is_waiting).await;
    }

    /// Gives up the place of the call when the guard is dropped. Nothing happens if the call has none: a request sent
    /// to the origin runs to its end.
    pub(crate) fn give_up_on_drop(&self) -> DropGuard {
        self.given_up.clone().drop_guard()
    }

    /// Shows the call as waiting.
    pub(super) fn waits(&self) -> WaitingGuard<'_> {
        self.is_waiting.send_replace(true);
        WaitingGuard(self)
    }

    /// Ends when the caller has given up.
    pub(super) async fn given_up(&self) {
        self.given_up.cancelled().await;
    }
}

#[cfg(test)]
impl QueueWatch {
    /// True once the caller has given up.
    pub(crate) fn is_given_up(&self) -> bool {
        self.given_up.is_cancelled()
    }
}

impl Drop for WaitingGuard<'_> {
    fn drop(&mut self) {
        self.0.is_waiting.send_replace(false);
    }
}
