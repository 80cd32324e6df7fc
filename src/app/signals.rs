//! Signals to the process: to end, or to read its configuration again.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::{self, error::TrySendError};

/// Orders to a running edge: to end (once to drain, twice to end at once), or to read its configuration again.
#[derive(Debug)]
pub struct Signals(mpsc::Receiver<()>);

// === impl Signals ===

impl Signals {
    /// Orders to end: SIGTERM and SIGINT, each counting as one.
    ///
    /// # Errors
    ///
    /// When the system does not let the process receive signals.
    pub fn to_end() -> io::Result<Self> {
        Self::by(&[SignalKind::terminate(), SignalKind::interrupt()], 2)
    }

    /// Orders to reload: SIGHUP. Signals that arrive during a reload count as one.
    ///
    /// # Errors
    ///
    /// When the system does not let the process receive signals.
    pub fn to_reload() -> io::Result<Self> {
        Self::by(&[SignalKind::hangup()], 1)
    }

    /// Orders from the returned sender.
    pub fn manual() -> (mpsc::Sender<()>, Self) {
        let (sender, orders) = mpsc::channel(2);
        (sender, Self(orders))
    }

    /// At most so many orders wait: more would have the same effect.
    fn by(kinds: &[SignalKind], most: usize) -> io::Result<Self> {
        let (sender, orders) = mpsc::channel(most);
        for kind in kinds {
            tokio::spawn(pass_on(signal(*kind)?, sender.clone()));
        }
        Ok(Self(orders))
    }

    /// Waits for an order; a sender that is gone gives none any more.
    pub(super) async fn ordered(&mut self) {
        if self.0.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
    }
}

async fn pass_on(mut signals: Signal, orders: mpsc::Sender<()>) {
    while signals.recv().await.is_some() {
        if let Err(TrySendError::Closed(())) = orders.try_send(()) {
            return;
        }
    }
}
