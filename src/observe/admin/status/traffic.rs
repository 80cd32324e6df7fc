//! Requests since the start: who answered, with which status, how fast, and what was refused.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};

use crate::telemetry::{LATENCY_BOUNDS, LatencySums, Metrics};

/// Requests of all operations and roots since the start.
#[derive(Debug, Serialize)]
pub(super) struct TrafficStatus {
    requests: Value,
    latency: LatencyStatus,
    refusals: BTreeMap<&'static str, u64>,
    findings: Vec<BrokenRule>,
    /// The site's responses to forwarded requests that `enforce` would refuse.
    reported: BTreeMap<&'static str, u64>,
}

/// Durations in cumulative buckets.
#[derive(Debug, Serialize)]
struct LatencyStatus {
    bounds_seconds: &'static [f64],
    total: LatencyBuckets,
    edge: LatencyBuckets,
    queue: LatencyBuckets,
    backend: LatencyBuckets,
}

#[derive(Debug, Serialize)]
struct LatencyBuckets {
    up_to: Vec<u64>,
    count: u64,
    sum_seconds: f64,
}

/// A rule that requests broke.
#[derive(Debug, Serialize)]
struct BrokenRule {
    rule: &'static str,
    action: &'static str,
    count: u64,
}

// === impl TrafficStatus ===

impl TrafficStatus {
    pub(super) fn of(metrics: &Metrics) -> Self {
        let sums = metrics.requests().sums();
        let happened = |(_, count): &(&'static str, u64)| *count > 0;
        let broken = metrics.broken_rules().into_iter();
        Self {
            requests: json!({
                "total": sums.by_source.values().sum::<u64>(),
                "running": metrics.running(),
                "by_source": sums.by_source,
                "by_status": sums.by_class,
            }),
            latency: LatencyStatus {
                bounds_seconds: &LATENCY_BOUNDS,
                total: LatencyBuckets::of(&sums.whole),
                edge: LatencyBuckets::of(&sums.edge),
                queue: LatencyBuckets::of(&sums.queue),
                backend: LatencyBuckets::of(&sums.backend),
            },
            refusals: sums.refusals.into_iter().filter(happened).collect(),
            findings: broken
                .filter(|(_, _, count)| *count > 0)
                .map(|(rule, action, count)| BrokenRule { rule, action, count })
                .collect(),
            reported: metrics.reported_requests(),
        }
    }
}

// === impl LatencyBuckets ===

impl LatencyBuckets {
    fn of(sums: &LatencySums) -> Self {
        Self {
            up_to: sums.cumulative(),
            count: sums.count(),
            sum_seconds: sums.seconds(),
        }
    }
}
