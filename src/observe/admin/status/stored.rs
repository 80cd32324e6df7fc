//! The cache: what it holds, what it did, and what is heard of the companion plugin.

use serde::Serialize;
use serde_json::{Value, json};

use crate::cache::Cache;
use crate::observe::admin::explained::moment;
use crate::telemetry::{CacheSums, unix_time};

/// The state of the cache.
#[derive(Debug, Serialize)]
pub(super) struct CacheStatus {
    enabled: bool,
    entries: u64,
    used_bytes: u64,
    limit_bytes: u64,
    #[serde(flatten)]
    sums: CacheSums,
    companion: Value,
}

// === impl CacheStatus ===

impl CacheStatus {
    pub(super) fn of(cache: &Cache) -> Self {
        let settings = cache.settings();
        let (entries, used_bytes) = cache.weight();
        let signs = cache.companion();
        Self {
            enabled: settings.enabled,
            entries,
            used_bytes,
            limit_bytes: settings.memory,
            sums: cache.metrics().sums(),
            companion: json!({
                "state": cache.site_companion(unix_time()),
                "heard": signs.map(|signs| moment(signs.last)),
                "unbroken_since": signs.map(|signs| moment(signs.since)),
            }),
        }
    }
}
