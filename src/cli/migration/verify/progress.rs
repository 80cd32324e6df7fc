//! The state of a long command, as a terminal shows it.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

/// One line on a terminal, written over itself; nothing where standard error is none.
#[derive(Debug)]
pub(super) struct TerminalProgress {
    next: Option<Instant>,
}

/// The time between two states.
const PACE: Duration = Duration::from_millis(500);

// === impl TerminalProgress ===

impl TerminalProgress {
    pub(super) fn new() -> Self {
        Self {
            next: io::stderr().is_terminal().then(Instant::now),
        }
    }

    /// Shows the state, if the last one is old enough.
    pub(super) fn show(&mut self, state: impl FnOnce() -> String) {
        let now = Instant::now();
        if self.next.is_some_and(|next| next <= now) {
            self.next = Some(now + PACE);
            // A terminal that is gone shows nothing.
            let _ = write!(io::stderr(), "\r\x1b[K{}", state());
        }
    }

    /// Removes the line.
    pub(super) fn end(&self) {
        if self.next.is_some() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
