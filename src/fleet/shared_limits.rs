//! The limits that the edges of a fleet hold together: rates, failed logins, and the permits of backends.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use tokio::sync::Notify;

use super::logins::LoginDesk;
use super::metrics::FleetMetrics;
use super::permits::Permits;
use crate::backend::Bulkhead;
use calendar_edge_core::fleet::{FleetKey, MemberTable};
use calendar_edge_core::keyed_hash::KeyedHash;
use calendar_edge_core::limits::FleetSize;
use calendar_edge_core::limits::rates::SharedBuckets;
use calendar_edge_core::settings::FleetSettings;

/// The shared limits, and the number of edges.
#[derive(Debug)]
pub(crate) struct FleetLimits {
    /// The number of edges, by which they divide what they cannot share in another way.
    pub(crate) size: FleetSize,
    /// Where failed logins are charged.
    pub(crate) logins: Arc<LoginDesk>,
    pub(super) buckets: ArcSwap<SharedBuckets>,
    pub(super) permits: Mutex<Permits>,
    /// Notified when a call begins to wait for a permit at this edge.
    crowd: Arc<Notify>,
    /// When a bucket was last settled.
    settled: Mutex<Option<Instant>>,
}

// === impl FleetLimits ===

impl FleetLimits {
    pub(super) fn new(metrics: &FleetMetrics) -> Self {
        let size = FleetSize::default();
        Self {
            logins: Arc::new(LoginDesk::new(&size, metrics)),
            permits: Mutex::new(Permits::new(&size, metrics)),
            buckets: ArcSwap::from_pointee(SharedBuckets::new(None)),
            crowd: Arc::default(),
            settled: Mutex::default(),
            size,
        }
    }

    /// The hash by which all edges of a fleet know a bucket; none for an edge without a fleet.
    pub(crate) fn hash(settings: &FleetSettings) -> Option<KeyedHash> {
        FleetKey::of(settings).map(|key| key.hash)
    }

    /// Limits these buckets and backends from now on.
    pub(crate) fn watch(&self, buckets: &SharedBuckets, backends: impl Iterator<Item = Arc<Bulkhead>>) {
        self.buckets.store(Arc::new(buckets.clone()));
        let backends = backends.inspect(|permits| permits.notify(&self.crowd));
        self.permits.lock().divide(backends);
    }

    /// Begins anew, with the number of edges that the settings assume.
    pub(super) fn begin(&self, settings: &FleetSettings) {
        let edges = if settings.is_set() { settings.members } else { 1 };
        self.size.set(edges, edges.saturating_sub(1));
        self.logins.open(false);
        self.permits.lock().begin(settings.is_set());
    }

    /// Takes the table of members. This edge has written before what it needs.
    pub(super) fn take_members(&self, table: &MemberTable, edge: &str) {
        let members = &table.members;
        if let Some(position) = members.iter().position(|member| member.edge == edge) {
            self.size.set(members.len(), position);
            self.permits.lock().follow(table, edge);
        }
    }

    /// Waits until a call waits for a permit that another edge may give away.
    pub(super) async fn crowd(&self) {
        while !self.permits.lock().are_short() {
            self.crowd.notified().await;
        }
    }

    /// Notes that buckets were settled.
    pub(super) fn settled(&self) {
        *self.settled.lock() = Some(Instant::now());
    }

    /// True if buckets were settled of late.
    pub(super) fn were_settled(&self, within: Duration) -> bool {
        self.settled.lock().is_some_and(|at| at.elapsed() < within)
    }
}
