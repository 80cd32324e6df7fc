//! The permits of one backend for one kind of traffic: the number held, and the calls that wait.

use serde_json::{Value, json};

use super::series::{Counter, Gauge};
use calendar_edge_core::concerns::{PermitUsage, Usage};
use calendar_edge_core::limits::queue::Shed;

/// The series of one backend's permits for one kind of traffic.
#[derive(Debug, Clone)]
pub(crate) struct PermitMetrics {
    pub(super) in_use: Gauge,
    pub(super) waiting: Gauge,
    pub(super) permits_limit: Gauge,
    pub(super) waiting_limit: Gauge,
    pub(super) revoked: Counter,
    /// Requests that got none, in the order of [`Shed::ALL`].
    pub(super) shed: [Counter; Shed::ALL.len()],
}

/// Raises a gauge by one until dropped.
#[derive(Debug)]
pub(crate) struct GaugeGuard(Gauge);

/// The kind of traffic that a permit is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub(crate) enum TrafficKind {
    /// Calendar calls.
    Calls,
    /// The rest of the site.
    Site,
    /// Uploads to the rest of the site.
    Uploads,
    /// Calendar pages that robots share.
    Robots,
}

// === impl PermitMetrics ===

impl PermitMetrics {
    /// Notes the most permits, and the most requests that may wait for one.
    pub(crate) fn limited(&self, permits: usize, waiting: usize) {
        let number = |most| i64::try_from(most).unwrap_or(i64::MAX);
        self.permits_limit.set(number(permits));
        self.waiting_limit.set(number(waiting));
    }

    /// The permits at this moment.
    pub(crate) fn figures(&self) -> Value {
        json!({
            "in_use": self.in_use.get(),
            "permits": self.permits_limit.get(),
            "waiting": self.waiting.get(),
            "places": self.waiting_limit.get(),
            "shed": self.all_shed(),
        })
    }

    /// Permits and places in use.
    pub(crate) fn usage(&self) -> PermitUsage {
        let usage = |used: &Gauge, limit: &Gauge| Usage {
            used: u64::try_from(used.get()).unwrap_or_default(),
            limit: u64::try_from(limit.get()).unwrap_or_default(),
        };
        PermitUsage {
            permits: usage(&self.in_use, &self.permits_limit),
            queue: usage(&self.waiting, &self.waiting_limit),
        }
    }

    /// The requests that got no permit.
    pub(crate) fn all_shed(&self) -> u64 {
        self.shed.iter().map(Counter::get).sum()
    }

    /// Counts a permit as held while the guard lives.
    pub(crate) fn acquired(&self) -> GaugeGuard {
        GaugeGuard::raise(&self.in_use)
    }

    /// Counts a request as waiting while the guard lives.
    pub(crate) fn waiting(&self) -> GaugeGuard {
        GaugeGuard::raise(&self.waiting)
    }

    /// Counts a request that got no permit.
    pub(crate) fn shed(&self, reason: Shed) {
        let counters = Shed::ALL.into_iter().zip(&self.shed);
        for (_, counter) in counters.filter(|(counted, _)| *counted == reason) {
            counter.inc();
        }
    }

    /// Counts a revoked permit.
    pub(crate) fn revoked(&self) {
        self.revoked.inc();
    }
}

// === impl GaugeGuard ===

impl GaugeGuard {
    pub(crate) fn raise(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for GaugeGuard {
    fn drop(&mut self) {
        self.0.dec();
    }
}

// === impl TrafficKind ===

impl TrafficKind {
    /// All kinds.
    pub(crate) const ALL: [Self; 4] = [Self::Calls, Self::Site, Self::Uploads, Self::Robots];

    /// Its stable name.
    pub(crate) const fn label(self) -> &'static str {
        self.into_str()
    }
}
