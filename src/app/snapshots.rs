//! Writes what outlives the edge, every now and then and when it ends: the snapshot of the cache, the log of changes, and
//! the calls of the rest of the site.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::cache::Cache;
use crate::server::{Drain, state_file};
use crate::telemetry::SiteSurface;

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

/// The file of the counts, in `state_dir`.
const SURFACE_FILE: &str = "surface.json";

/// Maximum size of that file, in bytes.
const SURFACE_BYTES: u64 = 64 << 20;

/// Takes up the counts of an earlier run.
pub(super) fn resume_surface(surface: &SiteSurface, state_dir: Option<&Path>) {
    let Some(path) = state_dir.map(|directory| directory.join(SURFACE_FILE)) else {
        return;
    };
    let mut kept = Vec::new();
    let read = File::open(path).and_then(|file| file.take(SURFACE_BYTES).read_to_end(&mut kept));
    if read.is_ok() {
        surface.resume(&kept);
    }
}

/// Writes the counts of the rest of the site until the drain begins, and then for the last time.
pub(super) async fn keep_surface(surface: SiteSurface, state_dir: PathBuf, drain: Drain) {
    loop {
        let is_last = drain.unless_begun(tokio::time::sleep(PAUSE)).await.is_none();
        let (surface, state_dir) = (surface.clone(), state_dir.clone());
        // Files block.
        let written = tokio::task::spawn_blocking(move || {
            let path = state_dir.join(SURFACE_FILE);
            fs::create_dir_all(&state_dir)?;
            state_file::replace(&path, |aside| aside.write_all(surface.kept().as_bytes()))
        });
        if let Ok(Err(error)) = written.await {
            tracing::warn!(%error, "the counts of the rest of the site cannot be written");
        }
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
