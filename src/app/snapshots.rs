//! Writes what outlives the edge, every now and then and when it ends: the snapshot of the cache, and the log of changes.

use std::time::Duration;

use crate::cache::Cache;
use crate::server::Drain;

/// The time between two snapshots.
const PAUSE: Duration = Duration::from_mins(1);

/// The time between two writes of what is written as soon as it changes, or nearly so: the log of changes, which costs
/// readers a read of all records where a crash loses it, and the state of rules that a full disk did not take.
const SHORT_PAUSE: Duration = Duration::from_secs(5);

/// Writes until the drain begins, and then for the last time.
pub(super) async fn keep_up(write: impl Fn() + Clone + Send + 'static, drain: Drain) {
    loop {
        let is_last = drain
            .unless_begun(tokio::time::sleep(SHORT_PAUSE))
            .await
            .is_none();
        // Files block.
        let _ = tokio::task::spawn_blocking(write.clone()).await;
        if is_last {
            return;
        }
    }
}

/// Writes snapshots until the drain begins, and then the last one.
pub(super) async fn keep_writing(cache: Cache, drain: Drain) {
    let mut written = cache.fills();
    loop {
        let is_last = drain.unless_begun(tokio::time::sleep(PAUSE)).await.is_none();
        let fills = cache.fills();
        if fills != written {
            written = fills;
            let cache = cache.clone();
            // Files block.
            let _ = tokio::task::spawn_blocking(move || cache.save()).await;
        }
        if is_last {
            return;
        }
    }
}
