//! The metrics of the cache.

use std::collections::BTreeMap;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};
use serde::Serialize;

use super::counts::Counts;
use calendar_edge_core::cache::{Bypass, CacheOutcome, RemovalCause};
use calendar_edge_core::contract::table;

/// The metrics of the cache; clones share their values.
#[derive(Debug, Clone, Default)]
pub(crate) struct CacheMetrics {
    lookups: Counts<LookupLabels>,
    bypasses: Counts<BypassLabels>,
    bytes: Gauge,
    entries: Gauge,
    evictions: Counter,
    removals: Family<CauseLabels, Counter>,
    coalesced: Counter,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct LookupLabels {
    operation: &'static str,
    result: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct BypassLabels {
    reason: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CauseLabels {
    cause: &'static str,
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
    pub(super) fn register(&self, registry: &mut Registry) {
        self.lookups
            .register(registry, "cache_lookups", "Reads by what the cache did with them");
        self.bypasses.register(
            registry,
            "cache_bypasses",
            "Reads that passed the cache by, by the reason",
        );
        registry.register_with_unit(
            "cache_weight",
            "Memory of all kept answers",
            Unit::Bytes,
            self.bytes.clone(),
        );
        registry.register("cache_entries", "Kept answers", self.entries.clone());
        registry.register(
            "cache_evictions",
            "Answers that were dropped for want of memory",
            self.evictions.clone(),
        );
        registry.register(
            "cache_removals",
            "Removals because something changed",
            self.removals.clone(),
        );
        registry.register(
            "cache_fills_coalesced",
            "Reads that waited for the same question of another client",
            self.coalesced.clone(),
        );
        let operations = table().operations().iter();
        for operation in operations.filter(|operation| !operation.is_write()) {
            for result in CacheOutcome::NAMES {
                let operation = operation.name.as_str();
                self.lookups.expect(LookupLabels { operation, result });
            }
        }
        for bypass in Bypass::ALL {
            let reason = bypass.name();
            self.bypasses.expect(BypassLabels { reason });
        }
        for cause in RemovalCause::ALL {
            let labels = CauseLabels { cause: cause.name() };
            drop(self.removals.get_or_create(&labels));
        }
    }

    /// Counts what the cache did with a read of an operation.
    pub(crate) fn looked_up(&self, operation: &'static str, outcome: CacheOutcome) {
        let result = outcome.name();
        self.lookups.add(&LookupLabels { operation, result });
        if let CacheOutcome::Bypass(bypass) = outcome {
            let reason = bypass.name();
            self.bypasses.add(&BypassLabels { reason });
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
        let labels = CauseLabels { cause: cause.name() };
        self.removals.get_or_create(&labels).inc();
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
        let lookups = self.lookups.sums(|labels| labels.result).into_iter();
        let bypassed = self.bypasses.sums(|labels| labels.reason).into_iter();
        CacheSums {
            lookups: lookups.filter(|(result, _)| *result != PASSED_BY).collect(),
            bypassed: bypassed.filter(|(_, count)| *count > 0).collect(),
            evicted: self.evictions.get(),
            collapsed: self.coalesced.get(),
        }
    }

    fn lookups_of(&self, operation: &'static str) -> OperationLookups {
        let count = |result: &'static str| self.lookups.count(&LookupLabels { operation, result });
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
