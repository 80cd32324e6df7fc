//! The cache: what it holds, what it did, and what is heard of the companion plugin.

use serde_json::{Value, json};

use super::joined;
use crate::cache::Cache;
use crate::telemetry::{moment, unix_time};

/// The state of the cache.
pub(in crate::observe::admin) fn cache_status(cache: &Cache) -> Value {
    let settings = cache.settings();
    let (entries, used_bytes) = cache.weight();
    let signs = cache.companion();
    joined([
        json!({
            "enabled": settings.enabled,
            "entries": entries,
            "used_bytes": used_bytes,
            "limit_bytes": settings.memory,
        }),
        cache.metrics().sums(),
        json!({
            "companion": {
                "state": cache.site_companion(unix_time()).word(),
                "is_missed": cache.metrics().is_companion_silent(),
                "heard": signs.map(|signs| moment(signs.last)),
                "unbroken_since": signs.map(|signs| moment(signs.since)),
            },
        }),
    ])
}
