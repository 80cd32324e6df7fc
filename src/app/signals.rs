//! Signals to the process: to end, or to read its configuration again.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

/// Orders an edge to end: once to drain, twice to end at once.
#[derive(Debug)]
pub struct Shutdown {
    signals: mpsc::Receiver<()>,
}

/// Orders an edge to read its configuration again.
#[derive(Debug)]
pub struct Sighup {
    signals: mpsc::Receiver<()>,
}

// === impl Shutdown ===

impl Shutdown {
    /// SIGTERM and SIGINT, each counting as one order.
    ///
    /// # Errors
    ///
    /// When the system does not let the process receive signals.
    pub fn on_signals() -> io::Result<Self> {
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        let (sender, this) = Self::manual();
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    _ = terminate.recv() => {}
                    _ = interrupt.recv() => {}
                }
                if sender.send(()).await.is_err() {
                    return;
                }
            }
        });
        Ok(this)
    }

    /// Orders come from the returned sender.
    pub fn manual() -> (mpsc::Sender<()>, Self) {
        let (sender, signals) = mpsc::channel(2);
        (sender, Self { signals })
    }

    /// Waits for an order.
    pub(super) async fn ordered(&mut self) {
        next(&mut self.signals).await;
    }
}

// === impl Sighup ===

impl Sighup {
    /// SIGHUP; signals that arrive during a reload count as one.
    ///
    /// # Errors
    ///
    /// When the system does not let the process receive signals.
    pub fn on_signals() -> io::Result<Self> {
        let hang_up = signal(SignalKind::hangup())?;
        let (sender, this) = Self::manual();
        tokio::spawn(pass_on(hang_up, sender));
        Ok(this)
    }

    /// Orders come from the returned sender.
    pub fn manual() -> (mpsc::Sender<()>, Self) {
        let (sender, signals) = mpsc::channel(1);
        (sender, Self { signals })
    }

    /// Waits for an order.
    pub(super) async fn ordered(&mut self) {
        next(&mut self.signals).await;
    }
}

async fn pass_on(mut hang_up: Signal, sender: mpsc::Sender<()>) {
    while hang_up.recv().await.is_some() {
        // A full channel means that a reload is still to come, which will see everything.
        if let Err(mpsc::error::TrySendError::Closed(())) = sender.try_send(()) {
            return;
        }
    }
}

/// The next order; a sender that is gone signals nothing any more.
async fn next(signals: &mut mpsc::Receiver<()>) {
    if signals.recv().await.is_none() {
        std::future::pending::<()>().await;
    }
}
