//! The cache: what it holds, what it did, and what is heard of the companion plugin.

use serde::Serialize;

use crate::cache::Cache;
use crate::telemetry::{CacheSums, moment, unix_time};

/// The state of the cache.
#[derive(Debug, Serialize)]
pub(in crate::observe::admin) struct CacheStatus {
    enabled: bool,
    entries: u64,
    used_bytes: u64,
    limit_bytes: u64,
    #[serde(flatten)]
    sums: CacheSums,
    companion: CompanionStatus,
}

/// What is heard of the companion plugin.
#[derive(Debug, Serialize)]
struct CompanionStatus {
    state: &'static str,
    heard: Option<String>,
    unbroken_since: Option<String>,
}

// === impl CacheStatus ===

impl CacheStatus {
    pub(in crate::observe::admin) fn of(cache: &Cache) -> Self {
        let settings = cache.settings();
        let (entries, used_bytes) = cache.weight();
        let signs = cache.companion();
        Self {
            enabled: settings.enabled,
            entries,
            used_bytes,
            limit_bytes: settings.memory,
            sums: cache.metrics().sums(),
            companion: CompanionStatus {
                state: cache.site_companion(unix_time()),
                heard: signs.map(|signs| moment(signs.last)),
                unbroken_since: signs.map(|signs| moment(signs.since)),
            },
        }
    }
}
