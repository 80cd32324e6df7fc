//! This edge's part of the permits of each backend: by demand while the edges are together, and its last part, later an
//! equal one, while it is alone.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::metrics::FleetMetrics;
use crate::backend::Bulkhead;
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
    /// By the table, calls wait at another edge.
    others_wait: bool,
    /// Since when this edge receives nothing from the others.
    alone_since: Option<Instant>,
}

/// The part of one backend.
#[derive(Debug)]
struct PermitPart {
    permits: Arc<Bulkhead>,
    allotment: Allotment,
}

/// The time for which an edge that is alone keeps its last part.
const KEPT: Duration = Duration::from_secs(30);

// === impl Permits ===

impl Permits {
    /// No backend, among so many edges.
    pub(super) fn new(size: &FleetSize, metrics: &FleetMetrics) -> Self {
        Self {
            shares: HashMap::new(),
            size: size.clone(),
            is_shared: false,
            metrics: metrics.clone(),
            others_wait: false,
            alone_since: None,
        }
    }

    /// Divides the permits of these backends from now on. A backend that stays keeps its part.
    pub(super) fn divide(&mut self, backends: impl Iterator<Item = Arc<Bulkhead>>) {
        let mut known = std::mem::take(&mut self.shares);
        for permits in backends {
            let first = || Allotment::new(self.size.equal_part(permits.total()));
            let part = known.remove(&permits.name);
            let allotment = part.map_or_else(first, |part| part.allotment);
            let name = Arc::clone(&permits.name);
            let part = PermitPart { permits, allotment };
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

    /// The running and waiting calls of this edge.
    pub(super) fn demand(&self) -> BTreeMap<String, Demand> {
        let lines = self.shares.iter().map(|(name, part)| {
            let (running, waiting) = part.permits.requests();
            let demand = Demand {
                calls: running + waiting,
                permits: part.allotment.holds(running),
            };
            (name.to_string(), demand)
        });
        lines.collect()
    }

    /// Follows the demands of all edges, which were read after this edge had written its own.
    pub(super) fn follow(&mut self, table: &MemberTable, edge: &str) {
        self.alone_since = None;
        self.others_wait = false;
        for (name, part) in &mut self.shares {
            let claims = table.members.iter().filter_map(|member| {
                let demand = member.demand.get(&**name)?;
                Some(Claim {
                    edge: &member.edge,
                    demand: demand.calls,
                    holds: demand.permits,
                })
            });
            let claims: Vec<Claim<'_>> = claims.collect();
            let mut others = claims.iter().filter(|claim| claim.edge != edge);
            self.others_wait |= others.any(Claim::is_short);
            part.allotment.follow(part.permits.total(), &claims, edge);
            part.apply(self.is_shared.then_some(&self.metrics));
        }
    }

    /// True if a call waits for a permit, at this edge or, by the table, at another one.
    pub(super) fn are_short(&self) -> bool {
        let mut shares = self.shares.values();
        self.size.edges() > 1 && (self.others_wait || shares.any(|part| part.permits.requests().1 > 0))
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
    /// Gives the edge its part, and shows it.
    fn apply(&self, metrics: Option<&FleetMetrics>) {
        let part = self.allotment.part();
        self.permits.resize(part);
        if let Some(metrics) = metrics {
            metrics.permits(&self.permits.name, part);
        }
    }
}
