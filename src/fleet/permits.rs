//! This edge's part of the permits of each backend: by demand while the edges are together, and its last part, later an
//! equal one, while it is alone.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::backend::Bulkhead;
use crate::telemetry::FleetMetrics;
use calendar_edge_core::fleet::{Demand, MemberTable};
use calendar_edge_core::limits::{Allotment, Claim, FleetSize};

/// The parts of all backends.
#[derive(Debug)]
pub(super) struct Permits {
    shares: HashMap<Arc<str>, PermitPart>,
    size: FleetSize,
    /// This edge is one of a fleet.
    is_shared: bool,
    metrics: FleetMetrics,
    /// Since when this edge receives nothing from the others.
    alone_since: Option<Instant>,
}

/// The part of one backend.
#[derive(Debug)]
struct PermitPart {
    permits: Arc<Bulkhead>,
    allotment: Allotment,
    /// The demand was last measured then, and so much time had been spent by calls.
    measured: (Instant, Duration),
    /// Calls that ran or waited, in thousandths.
    demand: u64,
}

/// The time for which an edge that is alone keeps its last part.
const KEPT: Duration = Duration::from_secs(30);

/// The shortest time over which demand is measured: half the usual interval, so that each exchange measures anew.
const SHORTEST: Duration = Duration::from_millis(50);

// === impl Permits ===

impl Permits {
    /// No backend, among so many edges.
    pub(super) fn new(size: &FleetSize, metrics: &FleetMetrics) -> Self {
        Self {
            shares: HashMap::new(),
            size: size.clone(),
            is_shared: false,
            metrics: metrics.clone(),
            alone_since: None,
        }
    }

    /// Divides the permits of these backends from now on. A backend that stays keeps its part.
    pub(super) fn divide(&mut self, backends: impl Iterator<Item = Arc<Bulkhead>>) {
        let mut known = std::mem::take(&mut self.shares);
        for permits in backends {
            let first = || Allotment::new(self.size.equal_part(permits.total()));
            let part = known.remove(permits.name());
            let allotment = part.map_or_else(first, |part| part.allotment);
            let name = Arc::clone(permits.name());
            let part = PermitPart::new(permits, allotment);
            part.apply(self.is_shared.then_some(&self.metrics));
            self.shares.insert(name, part);
        }
    }

    /// Begins with equal parts, in a fleet or without one.
    pub(super) fn begin(&mut self, is_shared: bool) {
        self.is_shared = is_shared;
        self.alone_since = None;
        for part in self.shares.values_mut() {
            part.allotment = Allotment::new(self.size.equal_part(part.permits.total()));
            part.apply(self.is_shared.then_some(&self.metrics));
        }
    }

    /// What this edge says of its calls.
    pub(super) fn demand(&mut self) -> BTreeMap<String, Demand> {
        let lines = self.shares.iter_mut().map(|(name, part)| {
            let demand = Demand {
                calls: part.measure(),
                permits: part.allotment.holds(part.permits.in_use()),
            };
            (name.to_string(), demand)
        });
        lines.collect()
    }

    /// Follows what all edges say, which was read after this edge had spoken.
    pub(super) fn follow(&mut self, table: &MemberTable, edge: &str) {
        self.alone_since = None;
        for (name, part) in &mut self.shares {
            let claims = table.members().iter().filter_map(|member| {
                let demand = member.demand.get(&**name)?;
                Some(Claim {
                    edge: &member.edge,
                    demand: demand.calls,
                    holds: demand.permits,
                })
            });
            let claims: Vec<Claim<'_>> = claims.collect();
            part.allotment.follow(part.permits.total(), &claims, edge);
            part.apply(self.is_shared.then_some(&self.metrics));
        }
    }

    /// An edge that receives nothing keeps its parts for a while, and then takes equal ones.
    pub(super) fn be_alone(&mut self) {
        let since = *self.alone_since.get_or_insert_with(Instant::now);
        if since.elapsed() < KEPT {
            return;
        }
        // Not counting what cannot be divided: nothing is received from the others.
        let edges = usize::try_from(self.size.edges()).unwrap_or(usize::MAX);
        for part in self.shares.values_mut() {
            part.allotment = Allotment::new(part.permits.total() / edges);
            part.apply(self.is_shared.then_some(&self.metrics));
        }
    }
}

// === impl PermitPart ===

impl PermitPart {
    fn new(permits: Arc<Bulkhead>, allotment: Allotment) -> Self {
        Self {
            measured: (Instant::now(), permits.busy_time()),
            permits,
            allotment,
            demand: 0,
        }
    }

    /// Gives the edge its part, and shows it.
    fn apply(&self, metrics: Option<&FleetMetrics>) {
        let part = self.allotment.part();
        self.permits.resize(part);
        if let Some(metrics) = metrics {
            metrics.permits(self.permits.name(), part);
        }
    }

    /// The mean demand since it was last measured.
    fn measure(&mut self) -> u64 {
        let (at, before) = self.measured;
        let (elapsed, spent) = (at.elapsed(), self.permits.busy_time());
        if elapsed >= SHORTEST {
            let calls = spent.saturating_sub(before).as_micros() * 1000 / elapsed.as_micros().max(1);
            self.demand = u64::try_from(calls).unwrap_or(u64::MAX);
            self.measured = (at + elapsed, spent);
        }
        self.demand
    }
}
