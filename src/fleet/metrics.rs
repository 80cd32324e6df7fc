//! Metrics of this edge's fleet.

use std::sync::Arc;
use std::time::Duration;

use strum::VariantArray as _;

use crate::telemetry::latency::Latency;
use crate::telemetry::series::{Counter, Gauge, metrics};
use calendar_edge_core::fleet::{FleetMessage, GapCause};

metrics! {
    /// The metrics of the fleet; clones share their values.
    pub(crate) struct FleetMetrics {
        fleet_clock_offset_seconds: Gauge[] = "Difference between the clocks of this edge and of the store";
        fleet_exchange_seconds: Latency[] = "Exchanges with the store of the fleet that succeeded";
        fleet_faults: Counter["kind"] =
            "Exchanges with the store of the fleet that failed, and messages that were refused";
        fleet_gaps: Counter["cause"] =
            "How often messages of other edges were lost, so that everything was removed";
        fleet_logins_alone: Counter[] =
            "Calls with credentials that this edge charged to `failed_logins` by itself: the store was away, or later \
             than 25 ms";
        fleet_members: Gauge[] = "Edges of the fleet that were alive at the last exchange";
        fleet_messages: Counter["kind", "direction"] = "Messages that this edge sent to the others, and that it received";
        fleet_permits: Gauge["backend"] =
            "Calls that may be with a backend at once through this edge, its part of `max_in_flight`";
        fleet_settled_buckets: Counter[] =
            "Buckets of rate limits whose level was taken over from the store of the fleet";
        fleet_up: Gauge[] = "1 if the last exchange with the store of the fleet succeeded";
        fleet_variants: Gauge["of"] = "Different versions of the program, and configurations, in the fleet";
    }
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
    /// The server is a node of a cluster, which edges do not use.
    Cluster,
    /// A key holds something else.
    Type,
    /// The server refused a command.
    Command,
    /// The reply has another form.
    Protocol,
    /// A message is not sealed by this fleet.
    Forged,
    /// A message was received before.
    Replayed,
}

/// The direction of a message that this edge sent.
pub(super) const SENT: &str = "sent";

/// That of a message of another edge.
pub(super) const RECEIVED: &str = "received";

const VERSION: &str = "version";
const CONFIGURATION: &str = "configuration";

// === impl FleetMetrics ===

impl FleetMetrics {
    /// Creates all series with zero, as soon as the settings name a store.
    pub(crate) fn expect(&self) {
        self.fleet_up.expect([]);
        self.fleet_members.expect([]);
        self.fleet_clock_offset_seconds.expect([]);
        self.fleet_exchange_seconds.expect([]);
        self.fleet_settled_buckets.expect([]);
        self.fleet_logins_alone.expect([]);
        self.fleet_variants.expect_all([VERSION, CONFIGURATION]);
        self.fleet_faults.expect_all(StoreFaultKind::VARIANTS);
        self.fleet_gaps.expect_all(GapCause::ALL);
        for &kind in FleetMessage::KINDS {
            for direction in [SENT, RECEIVED] {
                self.fleet_messages.expect([kind.into(), direction.into()]);
            }
        }
    }

    /// Removes the gauges: an edge whose settings name no store is neither alone nor in a fleet. Counters stay.
    pub(crate) fn leave(&self) {
        self.fleet_up.clear();
        self.fleet_clock_offset_seconds.clear();
        self.fleet_members.clear();
        self.fleet_variants.clear();
        self.fleet_permits.clear();
    }

    /// Notes whether the last exchange with the store succeeded.
    pub(crate) fn is_up(&self, is_up: bool) {
        self.fleet_up.set([], usize::from(is_up));
    }

    /// Notes how far the clock of this edge is from that of the store.
    pub(crate) fn clock_is_off(&self, off: Duration) {
        let seconds = usize::try_from(off.as_secs()).unwrap_or(usize::MAX);
        self.fleet_clock_offset_seconds.set([], seconds);
    }

    /// The difference between the clocks of this edge and of the store.
    pub(crate) fn clock_offset(&self) -> Duration {
        let offset = self.fleet_clock_offset_seconds.known(&[]);
        let offset = offset.and_then(|offset| u64::try_from(offset.get()).ok());
        Duration::from_secs(offset.unwrap_or_default())
    }

    /// Notes the edges of the fleet, their versions and their configurations.
    pub(crate) fn count_members(&self, members: usize, versions: usize, configurations: usize) {
        self.fleet_members.set([], members);
        self.fleet_variants.set([VERSION.into()], versions);
        self.fleet_variants.set([CONFIGURATION.into()], configurations);
    }

    /// Counts an exchange that succeeded.
    pub(crate) fn exchanged(&self, duration: Duration) {
        self.fleet_exchange_seconds.of([]).observe(duration);
    }

    /// Counts a fault.
    pub(crate) fn failed(&self, kind: StoreFaultKind) {
        self.fleet_faults.add([kind.name().into()], 1);
    }

    /// Counts a message.
    pub(crate) fn message(&self, kind: &'static str, direction: &'static str) {
        self.fleet_messages.add([kind.into(), direction.into()], 1);
    }

    /// Notes this edge's part of the permits of a backend.
    pub(crate) fn permits(&self, backend: &Arc<str>, part: usize) {
        self.fleet_permits.set([backend.into()], part);
    }

    /// Counts buckets whose level was taken over from the store.
    pub(crate) fn settled(&self, buckets: usize) {
        self.fleet_settled_buckets
            .add([], u64::try_from(buckets).unwrap_or(u64::MAX));
    }

    /// Counts a call that was charged to `failed_logins` without the store.
    pub(crate) fn login_alone(&self) {
        self.fleet_logins_alone.add([], 1);
    }

    /// Counts lost history.
    pub(crate) fn gap(&self, cause: GapCause) {
        self.fleet_gaps.add([cause.name().into()], 1);
    }
}

// === impl StoreFaultKind ===

impl StoreFaultKind {
    /// The name in logs and metrics.
    pub(crate) fn name(self) -> &'static str {
        self.into()
    }
}
