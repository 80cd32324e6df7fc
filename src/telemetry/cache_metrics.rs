//! The metrics of the cache.

use std::collections::BTreeMap;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use serde::Serialize;

use super::series::Series;
use super::table::{
    CACHE_BYPASSES, CACHE_ENTRIES, CACHE_EVICTIONS, CACHE_FILLS_COALESCED, CACHE_LOOKUPS, CACHE_REMOVALS,
    CACHE_WEIGHT_BYTES,
};
use calendar_edge_core::cache::{Bypass, CacheOutcome, RemovalCause};
use calendar_edge_judge::contract::table;

/// The metrics of the cache; clones share their values.
#[derive(Debug, Clone)]
pub(crate) struct CacheMetrics {
    lookups: Series<Counter, 2>,
    bypasses: Series<Counter, 1>,
    bytes: Gauge,
    entries: Gauge,
    evictions: Counter,
    removals: Series<Counter, 1>,
    coalesced: Counter,
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
    pub(super) fn new(registry: &mut Registry) -> Self {
        let lookups = CACHE_LOOKUPS.series(registry);
        let operations = table().operations().iter();
        for operation in operations.filter(|operation| !operation.is_write()) {
            for &result in CacheOutcome::NAMES {
                lookups.expect([operation.name.as_str().into(), result.into()]);
            }
        }
        let bypasses: Vec<_> = Bypass::ALL.iter().map(|bypass| bypass.name()).collect();
        let causes: Vec<_> = RemovalCause::ALL.iter().map(|cause| cause.name()).collect();
        Self {
            lookups,
            bypasses: CACHE_BYPASSES.series(registry).with(&bypasses),
            bytes: CACHE_WEIGHT_BYTES.value(registry),
            entries: CACHE_ENTRIES.value(registry),
            evictions: CACHE_EVICTIONS.value(registry),
            removals: CACHE_REMOVALS.series(registry).with(&causes),
            coalesced: CACHE_FILLS_COALESCED.value(registry),
        }
    }

    /// Counts what the cache did with a read of an operation.
    pub(crate) fn looked_up(&self, operation: &'static str, outcome: CacheOutcome) {
        self.lookups.add([operation.into(), outcome.name().into()], 1);
        if let CacheOutcome::Bypass(bypass) = outcome {
            self.bypasses.add([bypass.name().into()], 1);
        }
        if let CacheOutcome::Miss(asked) | CacheOutcome::Revalidated(asked) = outcome
            && asked.collapsed
        {
            self.coalesced.inc();
        }
    }

    /// Counts an answer that was dropped for want of memory.
    pub(crate) fn evicted(&self) {
        self.evictions.inc();
    }

    /// Counts a removal.
    pub(crate) fn removed(&self, cause: RemovalCause) {
        self.removals.add([cause.name().into()], 1);
    }

    /// Notes how many answers are kept, and their bytes.
    pub(crate) fn hold(&self, entries: u64, bytes: u64) {
        self.entries.set(i64::try_from(entries).unwrap_or(i64::MAX));
        self.bytes.set(i64::try_from(bytes).unwrap_or(i64::MAX));
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
        let lookups = self.lookups.sums(|[_, result]| result.word()).into_iter();
        let bypassed = self.bypasses.sums(|[reason]| reason.word()).into_iter();
        CacheSums {
            lookups: lookups.filter(|(result, _)| *result != PASSED_BY).collect(),
            bypassed: bypassed.filter(|(_, count)| *count > 0).collect(),
            evicted: self.evictions.get(),
            collapsed: self.coalesced.get(),
        }
    }

    fn lookups_of(&self, operation: &'static str) -> OperationLookups {
        let count = |result: &'static str| self.lookups.count(&[operation.into(), result.into()]);
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
