//! Writes the snapshot of the cache once a minute if something was kept, and when the edge ends.

use std::time::Duration;

use crate::cache::Cache;
use crate::server::Drain;

/// The time between two snapshots.
const PAUSE: Duration = Duration::from_mins(1);

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
