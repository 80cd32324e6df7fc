//! The fleet's part of `/status`.

use calendar_edge_core::fleet::{FleetStanding, MemberTable};
use serde_json::{Value, json};

use crate::telemetry::second;

/// The fleet as `/status` shows it: this edge, whether its last exchange succeeded, and the edges that were there.
pub(super) fn status(edge: &str, standing: &FleetStanding, members: &MemberTable) -> Value {
    let second = |unix_time: u64| second(i64::try_from(unix_time).unwrap_or_default());
    let shown = members.members.iter().map(|member| {
        json!({
            "edge": member.edge,
            "version": member.version,
            "configuration": member.configuration,
            "started": second(member.started),
        })
    });
    json!({
        "edge": edge,
        "together": standing.is_together,
        "since": second(standing.since.as_secs()),
        "fault": standing.fault,
        "exchange_ms": standing.exchange.as_secs_f64() * 1000.0,
        "versions": members.versions(),
        "configurations": members.configurations(),
        "members": shown.collect::<Vec<_>>(),
    })
}
