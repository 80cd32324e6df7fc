//! What operators see of the fleet.

use serde::Serialize;

use calendar_edge_core::fleet::{FleetStanding, MemberTable};

/// The fleet as `/status` shows it.
#[derive(Debug, Serialize)]
pub(crate) struct FleetStatus {
    /// The name of this edge.
    edge: String,
    /// Whether the last exchange succeeded.
    together: bool,
    /// When that began.
    since: String,
    /// Why this edge is alone.
    fault: Option<String>,
    /// Milliseconds of the last exchange.
    exchange_ms: f64,
    /// Versions of the program in the fleet.
    versions: usize,
    /// Configurations in the fleet.
    configurations: usize,
    /// The edges that were there at the last exchange.
    members: Vec<MemberStatus>,
}

/// One edge of the fleet.
#[derive(Debug, Serialize)]
struct MemberStatus {
    edge: String,
    version: String,
    configuration: String,
    started: String,
    admin: Option<String>,
}

// === impl FleetStatus ===

impl FleetStatus {
    pub(super) fn new(edge: &str, standing: &FleetStanding, members: &MemberTable) -> Self {
        let shown = members.members().iter().map(|member| MemberStatus {
            edge: member.edge.clone(),
            version: member.version.clone(),
            configuration: member.configuration.clone(),
            started: second(member.started),
            admin: member.admin.clone(),
        });
        Self {
            edge: edge.to_owned(),
            together: standing.is_together(),
            since: second(standing.since.as_secs()),
            fault: standing.fault.clone(),
            exchange_ms: standing.exchange.as_secs_f64() * 1000.0,
            versions: members.versions(),
            configurations: members.configurations(),
            members: shown.collect(),
        }
    }
}

/// A second since 1970 as RFC 3339 writes it.
fn second(unix_time: u64) -> String {
    let second = i64::try_from(unix_time).unwrap_or_default();
    format!("{:.0}", jiff::Timestamp::from_second(second).unwrap_or_default())
}
