//! The metrics of the cache.

use serde_json::{Value, json};

use crate::telemetry::series::{Counter, Gauge, metrics};
use calendar_edge_core::cache::{Bypass, CacheOutcome, RemovalCause};
use calendar_edge_judge::contract::table;

metrics! {
    /// The metrics of the cache; clones share their values.
    pub(crate) struct CacheMetrics {
        cache_bypasses: Counter["reason" in Bypass::ALL] = "Reads that passed the cache by, by the reason";
        cache_entries: Gauge = "Stored responses";
        cache_evictions: Counter = "Responses that were dropped for want of memory";
        cache_fills_coalesced: Counter = "Reads that waited for the same request of another client";
        cache_lookups: Counter["operation", "result"] = "Reads by what the cache did with them";
        cache_fetches: Counter = "Requests that the cache sent to the site: for misses, behind stale responses, and for its time zone";
        cache_removals: Counter["cause" in RemovalCause::ALL] = "Removals because something changed";
        cache_weight_bytes: Gauge = "Memory of all stored responses";
        companion_silent: Gauge =
            "1 if `origin.secret_file` is set, and clients called for 30 times `cache.reconcile` without a sign of the \
             companion plugin";
    }
}

/// The result of a read that passed the cache by.
const PASSED_BY: &str = "bypass";

// === impl CacheMetrics ===

impl CacheMetrics {
    /// Creates the series of all lookups with zero.
    pub(crate) fn expect(&self) {
        let operations = table().operations().iter();
        for operation in operations.filter(|operation| !operation.is_write()) {
            for &result in CacheOutcome::NAMES {
                self.cache_lookups
                    .expect([operation.name.as_str().into(), result.into()]);
            }
        }
    }

    /// Counts the result of a read of an operation.
    pub(crate) fn looked_up(&self, operation: &'static str, outcome: CacheOutcome) {
        self.cache_lookups
            .add([operation.into(), outcome.name().into()], 1);
        if let CacheOutcome::Bypass(bypass) = outcome {
            self.cache_bypasses.add([bypass.name().into()], 1);
        }
        if let CacheOutcome::Miss(asked) | CacheOutcome::Revalidated(asked) = outcome
            && asked.collapsed
        {
            self.cache_fills_coalesced.inc();
        }
    }

    /// Counts a request that was sent to the site for lack of a stored response.
    pub(crate) fn fetched(&self) {
        self.cache_fetches.inc();
    }

    /// The reads that could be served from the cache, less the requests that it sent to the site for them.
    pub(crate) fn runs_saved(&self) -> i64 {
        let lookups = self.cache_lookups.sums(|[_, result]| result.word() != PASSED_BY);
        let count = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        count(lookups.get(&true).copied().unwrap_or_default()) - count(self.cache_fetches.get())
    }

    /// Counts a response that was dropped for want of memory.
    pub(crate) fn evicted(&self) {
        self.cache_evictions.inc();
    }

    /// Counts a removal.
    pub(crate) fn removed(&self, cause: RemovalCause) {
        self.cache_removals.add([cause.name().into()], 1);
    }

    /// Notes the number of stored responses, and their bytes.
    pub(crate) fn hold(&self, entries: u64, bytes: u64) {
        self.cache_entries.set(i64::try_from(entries).unwrap_or(i64::MAX));
        self.cache_weight_bytes
            .set(i64::try_from(bytes).unwrap_or(i64::MAX));
    }

    /// Notes that the companion plugin is expected and silent, or that it is not.
    pub(crate) fn companion_is_silent(&self, is_silent: bool) {
        self.companion_silent.set(i64::from(is_silent));
    }

    /// True if it is.
    pub(crate) fn is_companion_silent(&self) -> bool {
        self.companion_silent.get() != 0
    }

    /// The lookups of each operation that had any, the hits among them, which were served without waiting for the site
    /// or because it failed, and the reads that passed the cache by.
    pub(crate) fn lookups_by_operation(&self) -> Value {
        let operations = table().operations().iter();
        operations
            .filter_map(|operation| self.lookups_of(operation.name.as_str()))
            .collect()
    }

    /// The reads of all operations since the start: the lookups by their result, and those that passed the cache by, by
    /// the reason.
    pub(crate) fn sums(&self) -> Value {
        let mut lookups = self.cache_lookups.sums(|[_, result]| result.word());
        lookups.remove(PASSED_BY);
        let mut bypassed = self.cache_bypasses.sums(|[reason]| reason.word());
        bypassed.retain(|_, count| *count > 0);
        json!({
            "lookups": lookups,
            "bypassed": bypassed,
            "collapsed": self.cache_fills_coalesced.get(),
            "evicted": self.cache_evictions.get(),
        })
    }

    fn lookups_of(&self, operation: &'static str) -> Option<Value> {
        let count = |result: &'static str| self.cache_lookups.count(&[operation.into(), result.into()]);
        let hits = ["hit", "stale", "stale_on_error", "stale_while_busy"].map(count);
        let asked = ["miss", "revalidated"].map(count);
        let hits: u64 = hits.iter().sum();
        let (lookups, bypassed) = (hits + asked.iter().sum::<u64>(), count(PASSED_BY));
        (lookups + bypassed > 0)
            .then(|| json!({"operation": operation, "lookups": lookups, "hits": hits, "bypassed": bypassed}))
    }
}
