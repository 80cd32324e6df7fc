//! The metrics of the cache.

use std::collections::BTreeMap;

use serde::Serialize;

use super::series::{Counter, Gauge, metrics};
use calendar_edge_core::cache::{Bypass, CacheOutcome, RemovalCause};
use calendar_edge_judge::contract::table;

metrics! {
    /// The metrics of the cache; clones share their values.
    pub(crate) struct CacheMetrics {
        cache_bypasses: Counter["reason" in Bypass::ALL] = "Reads that passed the cache by, by the reason";
        cache_entries: Gauge = "Kept answers";
        cache_evictions: Counter = "Answers that were dropped for want of memory";
        cache_fills_coalesced: Counter = "Reads that waited for the same question of another client";
        cache_lookups: Counter["operation", "result"] = "Reads by what the cache did with them";
        cache_removals: Counter["cause" in RemovalCause::ALL] = "Removals because something changed";
        cache_weight_bytes: Gauge = "Memory of all kept answers";
    }
}

/// The result of a read that passed the cache by.
const PASSED_BY: &str = "bypass";

/// The lookups of one operation.
#[derive(Debug, Serialize)]
pub(crate) struct OperationLookups {
    operation: &'static str,
    /// Lookups that did not pass the cache by.
    lookups: u64,
    /// Those that were answered without waiting for the site, or because it failed.
    hits: u64,
    /// Reads that passed the cache by.
    bypassed: u64,
}

/// What the cache did with reads of all operations since the start.
#[derive(Debug, Default, Serialize)]
pub(crate) struct CacheSums {
    /// Reads that did not pass the cache by, by what it did with them.
    pub(crate) lookups: BTreeMap<&'static str, u64>,
    /// Reads that passed it by, by the reason.
    pub(crate) bypassed: BTreeMap<&'static str, u64>,
    /// Reads that waited for the same question of another client.
    pub(crate) collapsed: u64,
    /// Answers that were dropped for want of memory.
    pub(crate) evicted: u64,
}

// === impl CacheMetrics ===

impl CacheMetrics {
    /// Creates the series of all lookups with zero.
    pub(super) fn expect(&self) {
        let operations = table().operations().iter();
        for operation in operations.filter(|operation| !operation.is_write()) {
            for &result in CacheOutcome::NAMES {
                self.cache_lookups
                    .expect([operation.name.as_str().into(), result.into()]);
            }
        }
    }

    /// Counts what the cache did with a read of an operation.
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

    /// Counts an answer that was dropped for want of memory.
    pub(crate) fn evicted(&self) {
        self.cache_evictions.inc();
    }

    /// Counts a removal.
    pub(crate) fn removed(&self, cause: RemovalCause) {
        self.cache_removals.add([cause.name().into()], 1);
    }

    /// Notes how many answers are kept, and their bytes.
    pub(crate) fn hold(&self, entries: u64, bytes: u64) {
        self.cache_entries.set(i64::try_from(entries).unwrap_or(i64::MAX));
        self.cache_weight_bytes
            .set(i64::try_from(bytes).unwrap_or(i64::MAX));
    }

    /// The lookups of each operation that had any.
    pub(crate) fn lookups_by_operation(&self) -> Vec<OperationLookups> {
        let operations = table().operations().iter();
        let counted = operations.map(|operation| self.lookups_of(operation.name.as_str()));
        counted
            .filter(|found| found.lookups + found.bypassed > 0)
            .collect()
    }

    /// The lookups so far by their result, and those that passed the cache by, by the reason.
    pub(crate) fn sums(&self) -> CacheSums {
        let mut lookups = self.cache_lookups.sums(|[_, result]| result.word());
        lookups.remove(PASSED_BY);
        let mut bypassed = self.cache_bypasses.sums(|[reason]| reason.word());
        bypassed.retain(|_, count| *count > 0);
        CacheSums {
            lookups,
            bypassed,
            evicted: self.cache_evictions.get(),
            collapsed: self.cache_fills_coalesced.get(),
        }
    }

    fn lookups_of(&self, operation: &'static str) -> OperationLookups {
        let count = |result: &'static str| self.cache_lookups.count(&[operation.into(), result.into()]);
        let hits = ["hit", "stale", "stale_on_error", "stale_while_busy"].map(count);
        let asked = ["miss", "revalidated"].map(count);
        let hits = hits.iter().sum();
        OperationLookups {
            operation,
            lookups: hits + asked.iter().sum::<u64>(),
            hits,
            bypassed: count(PASSED_BY),
        }
    }
}
