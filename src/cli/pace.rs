//! The rate of calls of a command, which several tasks may share.

use std::num::NonZeroU32;
use std::time::Duration;

use anyhow::Context as _;
use tokio::sync::Mutex;
use tokio::time::{Interval, MissedTickBehavior, interval};

use super::status::Misuse;

/// The calls a second that `--rate` names, or the usual ones.
///
/// # Errors
///
/// When the text is no whole number from 1.
pub(super) fn rate(typed: Option<&str>, usual: NonZeroU32) -> anyhow::Result<NonZeroU32> {
    let rate = typed.map_or(Ok(usual), str::parse);
    rate.context(Misuse("--rate is a whole number from 1"))
}

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
