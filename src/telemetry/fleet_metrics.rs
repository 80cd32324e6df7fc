//! What an edge counts of its fleet.

use std::sync::Arc;
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use strum::VariantArray as _;

use super::latency::Latency;
use super::series::Series;
use super::table::{
    FLEET_EXCHANGE_SECONDS, FLEET_FAULTS, FLEET_GAPS, FLEET_LOGINS_ALONE, FLEET_MEMBERS,
    FLEET_MESSAGE_AGE_SECONDS, FLEET_MESSAGES, FLEET_PERMITS, FLEET_SETTLED_BUCKETS, FLEET_UP,
    FLEET_VARIANTS,
};
use calendar_edge_core::fleet::{FleetMessage, GapCause};

/// The metrics of the fleet; clones share their values.
#[derive(Debug, Clone)]
pub(crate) struct FleetMetrics {
    up: Series<Gauge, 0>,
    members: Series<Gauge, 0>,
    variants: Series<Gauge, 1>,
    exchanges: Series<Latency, 0>,
    faults: Series<Counter, 1>,
    messages: Series<Counter, 2>,
    ages: Series<Latency, 0>,
    gaps: Series<Counter, 1>,
    permits: Series<Gauge, 1>,
    settled: Series<Counter, 0>,
    logins_alone: Series<Counter, 0>,
}

/// The way of a message.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Direction {
    /// This edge told it.
    Told,
    /// Another edge told it.
    Heard,
}

/// The kind of a fault, as its metric names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum StoreFaultKind {
    /// The connection cannot be opened, or ended.
    Io,
    /// No reply in time.
    Silent,
    /// The certificate of the store, or of this edge, is refused.
    Tls,
    /// The user or the password is refused.
    Auth,
    /// The user may not use a command or a key.
    Acl,
    /// The server is a replica.
    Readonly,
    /// The server reads its data.
    Loading,
    /// The server has too few replicas to write.
    Noreplicas,
    /// The replica has lost its primary.
    Masterdown,
    /// The Sentinels know no server.
    Sentinel,
    /// The server has no memory left.
    Oom,
    /// The server is part of a cluster, which the settings do not say, or which is down.
    Cluster,
    /// A key holds something else.
    Type,
    /// The server refused a command.
    Command,
    /// The reply has another form.
    Protocol,
    /// A message is not sealed by this fleet.
    Forged,
    /// A message was heard before.
    Replayed,
}

const VERSION: &str = "version";
const CONFIGURATION: &str = "configuration";

// === impl FleetMetrics ===

impl FleetMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        Self {
            up: FLEET_UP.series(registry),
            members: FLEET_MEMBERS.series(registry),
            variants: FLEET_VARIANTS.series(registry),
            exchanges: FLEET_EXCHANGE_SECONDS.series(registry),
            faults: FLEET_FAULTS.series(registry),
            messages: FLEET_MESSAGES.series(registry),
            ages: FLEET_MESSAGE_AGE_SECONDS.series(registry),
            gaps: FLEET_GAPS.series(registry),
            permits: FLEET_PERMITS.series(registry),
            settled: FLEET_SETTLED_BUCKETS.series(registry),
            logins_alone: FLEET_LOGINS_ALONE.series(registry),
        }
    }

    /// Creates all series with zero, as soon as the settings name a store.
    pub(crate) fn expect(&self) {
        self.up.expect([]);
        self.members.expect([]);
        self.exchanges.expect([]);
        self.ages.expect([]);
        self.settled.expect([]);
        self.logins_alone.expect([]);
        for of in [VERSION, CONFIGURATION] {
            self.variants.expect([of.into()]);
        }
        for kind in StoreFaultKind::VARIANTS {
            self.faults.expect([kind.name().into()]);
        }
        for &kind in FleetMessage::KINDS {
            for direction in [Direction::Told, Direction::Heard] {
                self.messages.expect([kind.into(), direction.name().into()]);
            }
        }
        for cause in GapCause::ALL {
            self.gaps.expect([cause.name().into()]);
        }
    }

    /// Removes the gauges: an edge whose settings name no store is neither alone nor in a fleet. Counters stay.
    pub(crate) fn leave(&self) {
        self.up.clear();
        self.members.clear();
        self.variants.clear();
        self.permits.clear();
    }

    /// Notes whether the last exchange with the store succeeded.
    pub(crate) fn is_up(&self, is_up: bool) {
        self.up.of([]).set(i64::from(is_up));
    }

    /// Notes the edges of the fleet, their versions and their configurations.
    pub(crate) fn count_members(&self, members: usize, versions: usize, configurations: usize) {
        let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        self.members.of([]).set(number(members));
        self.variants.of([VERSION.into()]).set(number(versions));
        self.variants
            .of([CONFIGURATION.into()])
            .set(number(configurations));
    }

    /// Counts an exchange that succeeded.
    pub(crate) fn exchanged(&self, duration: Duration) {
        self.exchanges.of([]).observe(duration);
    }

    /// Counts a fault.
    pub(crate) fn failed(&self, kind: StoreFaultKind) {
        self.faults.add([kind.name().into()], 1);
    }

    /// Counts a message.
    pub(crate) fn message(&self, kind: &'static str, direction: Direction) {
        self.messages.add([kind.into(), direction.name().into()], 1);
    }

    /// Notes the age of a message at its arrival.
    pub(crate) fn arrived_after(&self, age: Duration) {
        self.ages.of([]).observe(age);
    }

    /// Notes this edge's part of the permits of a backend.
    pub(crate) fn permits(&self, backend: &Arc<str>, part: usize) {
        let part = i64::try_from(part).unwrap_or(i64::MAX);
        self.permits.of([backend.into()]).set(part);
    }

    /// Counts buckets whose level was taken over from the store.
    pub(crate) fn settled(&self, buckets: usize) {
        self.settled.add([], u64::try_from(buckets).unwrap_or(u64::MAX));
    }

    /// Counts a call that was charged to `failed_logins` without the store.
    pub(crate) fn login_alone(&self) {
        self.logins_alone.add([], 1);
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

// === impl StoreFaultKind ===

impl StoreFaultKind {
    /// The name in logs and metrics.
    pub(crate) fn name(self) -> &'static str {
        self.into()
    }
}
