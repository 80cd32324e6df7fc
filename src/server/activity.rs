//! The current phase of a connection, so that a silent or idle one can be closed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::watch;

/// The phase a connection is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// No complete request head has arrived yet.
    Opening,
    /// Bytes arrived after a response, but no complete head yet.
    Head,
    /// Between two requests.
    Idle,
    /// This many requests are running.
    Busy(usize),
}

/// The longest time a connection may stay in a phase.
#[derive(Debug, Clone, Copy)]
pub(super) struct PhaseLimits {
    /// The limit for [`Phase::Opening`] and [`Phase::Head`], counted from the connect or from the first byte
    /// of the head.
    pub(super) head: Duration,
    /// The limit for [`Phase::Idle`], between two requests.
    pub(super) idle: Duration,
}

/// The phase of one connection, shared by its stream and its service.
#[derive(Debug, Clone)]
pub(super) struct Activity {
    phase: Arc<watch::Sender<Phase>>,
    multiplexed: Arc<AtomicBool>,
    dismissed: Arc<AtomicBool>,
}

/// Counts one request as running until its response has been sent or dropped.
#[derive(Debug)]
pub(super) struct RunningRequest {
    activity: Activity,
}

impl Activity {
    pub(super) fn new() -> Self {
        Self {
            phase: Arc::new(watch::Sender::new(Phase::Opening)),
            multiplexed: Arc::default(),
            dismissed: Arc::default(),
        }
    }

    /// Records that bytes arrived.
    pub(super) fn received(&self) {
        // Over HTTP/2, bytes between requests are mostly window updates and pings, so no head is expected.
        if self.multiplexed.load(Ordering::Relaxed) {
            return;
        }
        self.phase.send_if_modified(|phase| {
            let begins = *phase == Phase::Idle;
            if begins {
                *phase = Phase::Head;
            }
            begins
        });
    }

    /// Records that the connection speaks HTTP/2.
    pub(super) fn multiplexes(&self) {
        self.multiplexed.store(true, Ordering::Relaxed);
    }

    /// True if the connection is known to speak HTTP/2.
    pub(super) fn is_multiplexed(&self) -> bool {
        self.multiplexed.load(Ordering::Relaxed)
    }

    /// Records that what the client still sends after the last response is not waited for: the edge ends, or the
    /// client floods it.
    pub(super) fn dismiss(&self) {
        self.dismissed.store(true, Ordering::Relaxed);
    }

    /// True if what the client still sends is not waited for.
    pub(super) fn is_dismissed(&self) -> bool {
        self.dismissed.load(Ordering::Relaxed)
    }

    /// Records that a request begins. The request ends when the returned guard is dropped.
    pub(super) fn begin(&self) -> RunningRequest {
        self.phase.send_modify(|phase| {
            *phase = match *phase {
                Phase::Busy(running) => Phase::Busy(running + 1),
                Phase::Opening | Phase::Head | Phase::Idle => Phase::Busy(1),
            };
        });
        RunningRequest {
            activity: self.clone(),
        }
    }

    /// Waits until the connection has stayed in one phase for longer than its limit, and returns that phase.
    pub(super) async fn overstayed(&self, limits: PhaseLimits) -> Phase {
        let mut watched = self.phase.subscribe();
        loop {
            let phase = *watched.borrow_and_update();
            let limit = match phase {
                Phase::Opening | Phase::Head => Some(limits.head),
                Phase::Idle => Some(limits.idle),
                Phase::Busy(_) => None,
            };
            let changed = watched.changed();
            match limit {
                Some(limit) => {
                    if tokio::time::timeout(limit, changed).await.is_err() {
                        return phase;
                    }
                }
                // `self` owns the sender, so the channel cannot be closed.
                None => drop(changed.await),
            }
        }
    }
}

impl Drop for RunningRequest {
    fn drop(&mut self) {
        self.activity.phase.send_modify(|phase| {
            *phase = match *phase {
                Phase::Busy(running) if running > 1 => Phase::Busy(running - 1),
                Phase::Busy(_) | Phase::Opening | Phase::Head | Phase::Idle => Phase::Idle,
            };
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: PhaseLimits = PhaseLimits {
        head: Duration::from_secs(10),
        idle: Duration::from_mins(1),
    };

    #[tokio::test(start_paused = true)]
    async fn a_silent_connection_overstays_after_the_head_limit() {
        let started = tokio::time::Instant::now();
        let phase = Activity::new().overstayed(LIMITS).await;
        assert_eq!(phase, Phase::Opening);
        assert_eq!(started.elapsed(), LIMITS.head);
    }

    #[tokio::test(start_paused = true)]
    async fn a_kept_connection_overstays_after_the_idle_limit() {
        let activity = Activity::new();
        drop(activity.begin());
        let started = tokio::time::Instant::now();
        assert_eq!(activity.overstayed(LIMITS).await, Phase::Idle);
        assert_eq!(started.elapsed(), LIMITS.idle);
    }

    #[tokio::test(start_paused = true)]
    async fn bytes_between_requests_start_the_head_clock_once() {
        let activity = Activity::new();
        drop(activity.begin());
        activity.received();
        let started = tokio::time::Instant::now();
        assert_eq!(activity.overstayed(LIMITS).await, Phase::Head);
        assert_eq!(started.elapsed(), LIMITS.head);
    }

    #[tokio::test(start_paused = true)]
    async fn a_running_request_never_overstays() {
        let activity = Activity::new();
        let _running = (activity.begin(), activity.begin());
        let waited = tokio::time::timeout(Duration::from_hours(1), activity.overstayed(LIMITS)).await;
        assert!(waited.is_err());
        assert_eq!(*activity.phase.borrow(), Phase::Busy(2));
    }
}
