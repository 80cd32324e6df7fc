//! The rate of calls of a command, which several tasks may share.

use std::num::NonZeroU32;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::{Interval, MissedTickBehavior, interval};

/// Lets so many calls begin in each second, evenly spread.
#[derive(Debug)]
pub(super) struct Pace {
    turns: Mutex<Interval>,
}

// === impl Pace ===

impl Pace {
    pub(super) fn new(rate: NonZeroU32) -> Self {
        let mut turns = interval(Duration::from_secs(1) / rate.get());
        turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self {
            turns: Mutex::new(turns),
        }
    }

    /// Waits for the turn of the next call.
    pub(super) async fn turn(&self) {
        self.turns.lock().await.tick().await;
    }
}
