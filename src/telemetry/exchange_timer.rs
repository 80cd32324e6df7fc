//! The time of one exchange with a backend.

use std::sync::Arc;
use std::time::Instant;

use super::request_log::RequestLog;

/// Adds the time until it is dropped to that of all exchanges of a request.
#[derive(Debug)]
pub(crate) struct ExchangeTimer {
    log: Arc<RequestLog>,
    started: Instant,
}

// === impl ExchangeTimer ===

impl ExchangeTimer {
    /// Begins an exchange with a backend; it ends when the timer is dropped.
    pub(crate) fn new(log: &Arc<RequestLog>) -> Self {
        Self {
            log: log.clone(),
            started: Instant::now(),
        }
    }
}

impl Drop for ExchangeTimer {
    fn drop(&mut self) {
        self.log.exchanged(self.started.elapsed());
    }
}
