//! The pace of calls, which several tasks share, and tries of a call until there is no trouble.

use std::num::NonZeroU32;
use std::time::Duration;

use anyhow::bail;
use tokio::sync::Mutex;
use tokio::time::{Interval, MissedTickBehavior, interval};

/// Tries of one call.
const TRIES: u32 = 4;

/// The wait before the second try; each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_secs(1);

/// Lets so many calls begin in each second, evenly spread.
#[derive(Debug)]
pub(super) struct Pace {
    turns: Mutex<Interval>,
}

/// The reason why a response is none of the calendar, and the wait that its sender demands.
pub(super) type Trouble = (String, Duration);

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
    async fn turn(&self) {
        self.turns.lock().await.tick().await;
    }
}

/// Sends a request until there is no trouble, up to a few times, each time when it is the turn of the call.
///
/// # Errors
///
/// When nothing can be sent, or the call was tried often enough.
pub(super) async fn patiently<T, Asked: Future<Output = anyhow::Result<T>>>(
    pace: &Pace,
    ask: impl Fn() -> Asked,
    trouble: impl Fn(&T) -> Option<Trouble>,
) -> anyhow::Result<T> {
    let mut tried = 0;
    loop {
        pace.turn().await;
        let asked = ask().await?;
        tried += 1;
        let Some((trouble, least)) = trouble(&asked) else {
            return Ok(asked);
        };
        if tried >= TRIES {
            bail!("{trouble}, {TRIES} times in a row: try again later");
        }
        tokio::time::sleep((FIRST_WAIT * 2_u32.pow(tried - 1)).max(least)).await;
    }
}
