//! Writes what outlives the edge, every now and then and when it ends: the log of changes, the facts of the calendar,
//! and the state of rules.

use std::time::Duration;

use crate::gateway::GatewayState;
use crate::server::Drain;

/// The time between two writes of what is written as soon as it changes, or nearly so: the log of changes, which costs
/// readers a read of all records where a crash loses it, and the state of rules that a full disk did not take.
const SHORT_PAUSE: Duration = Duration::from_secs(5);

/// Keeps all files up to date from now on.
pub(super) fn keep_files(gateway: &GatewayState) {
    let drain = &gateway.drain;
    let feed = gateway.companions.feed().clone();
    let facts = gateway.companions.facts().clone();
    let migration = gateway.migration.clone();
    drain.spawn(keep_up(move || feed.write(), SHORT_PAUSE, drain.clone()));
    drain.spawn(keep_up(move || facts.write(), SHORT_PAUSE, drain.clone()));
    drain.spawn(keep_up(
        move || migration.write_again(),
        SHORT_PAUSE,
        drain.clone(),
    ));
}

/// Writes until the drain begins, and then for the last time. What has not changed is not written.
async fn keep_up(write: impl Fn() + Clone + Send + 'static, pause: Duration, drain: Drain) {
    loop {
        let is_last = drain.unless_begun(tokio::time::sleep(pause)).await.is_none();
        // Files block.
        let _ = tokio::task::spawn_blocking(write.clone()).await;
        if is_last {
            return;
        }
    }
}
