//! What an edge counts of its fleet.

use std::sync::Arc;
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use super::latency::Latency;
use super::series::Series;
use super::table::{
    FLEET_EXCHANGE_SECONDS, FLEET_FAULTS, FLEET_GAPS, FLEET_MEMBERS, FLEET_MESSAGE_AGE_SECONDS,
    FLEET_MESSAGES, FLEET_PERMITS, FLEET_SETTLED_BUCKETS, FLEET_UP, FLEET_VARIANTS,
};
use calendar_edge_core::fleet::{FleetMessage, GapCause};

/// The metrics of the fleet; clones share their values.
#[derive(Debug, Clone)]
pub(crate) struct FleetMetrics {
    up: Gauge,
    members: Gauge,
    variants: Series<Gauge, 1>,
    exchanges: Latency,
    faults: Series<Counter, 1>,
    messages: Series<Counter, 2>,
    ages: Latency,
    gaps: Series<Counter, 1>,
    permits: Series<Gauge, 1>,
    settled: Counter,
}

/// The way of a message.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Direction {
    /// This edge told it.
    Told,
    /// Another edge told it.
    Heard,
}

const VERSION: &str = "version";
const CONFIGURATION: &str = "configuration";

// === impl FleetMetrics ===

impl FleetMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let gaps: Vec<_> = GapCause::ALL.iter().map(|cause| cause.name()).collect();
        let messages = FLEET_MESSAGES.series(registry);
        for &kind in FleetMessage::KINDS {
            for direction in [Direction::Told, Direction::Heard] {
                messages.expect([kind.into(), direction.name().into()]);
            }
        }
        let variants = FLEET_VARIANTS.series(registry);
        variants.expect([VERSION.into()]);
        variants.expect([CONFIGURATION.into()]);
        Self {
            up: FLEET_UP.value(registry),
            members: FLEET_MEMBERS.value(registry),
            variants,
            exchanges: FLEET_EXCHANGE_SECONDS.value(registry),
            faults: FLEET_FAULTS.series(registry),
            messages,
            ages: FLEET_MESSAGE_AGE_SECONDS.value(registry),
            gaps: FLEET_GAPS.series(registry).with(&gaps),
            permits: FLEET_PERMITS.series(registry),
            settled: FLEET_SETTLED_BUCKETS.value(registry),
        }
    }

    /// Creates the series of these kinds of faults with zero.
    pub(crate) fn expect_faults(&self, kinds: impl Iterator<Item = &'static str>) {
        for kind in kinds {
            self.faults.expect([kind.into()]);
        }
    }

    /// Notes whether the last exchange with the store succeeded.
    pub(crate) fn is_up(&self, is_up: bool) {
        self.up.set(i64::from(is_up));
    }

    /// Notes the edges of the fleet, their versions and their configurations.
    pub(crate) fn count_members(&self, members: usize, versions: usize, configurations: usize) {
        let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        self.members.set(number(members));
        self.variants.of([VERSION.into()]).set(number(versions));
        self.variants
            .of([CONFIGURATION.into()])
            .set(number(configurations));
    }

    /// Counts an exchange that succeeded.
    pub(crate) fn exchanged(&self, duration: Duration) {
        self.exchanges.observe(duration);
    }

    /// Counts a fault.
    pub(crate) fn failed(&self, kind: &'static str) {
        self.faults.add([kind.into()], 1);
    }

    /// Counts a message.
    pub(crate) fn message(&self, kind: &'static str, direction: Direction) {
        self.messages.add([kind.into(), direction.name().into()], 1);
    }

    /// Notes the age of a message at its arrival.
    pub(crate) fn arrived_after(&self, age: Duration) {
        self.ages.observe(age);
    }

    /// Notes this edge's part of the permits of a backend.
    pub(crate) fn permits(&self, backend: &Arc<str>, part: usize) {
        let part = i64::try_from(part).unwrap_or(i64::MAX);
        self.permits.of([backend.into()]).set(part);
    }

    /// Counts buckets whose level was taken over from the store.
    pub(crate) fn settled(&self, buckets: usize) {
        self.settled.inc_by(u64::try_from(buckets).unwrap_or(u64::MAX));
    }

    /// Counts lost history.
    pub(crate) fn gap(&self, cause: GapCause) {
        self.gaps.add([cause.name().into()], 1);
    }
}

// === impl Direction ===

impl Direction {
    const fn name(self) -> &'static str {
        match self {
            Self::Told => "told",
            Self::Heard => "heard",
        }
    }
}
