//! The fleet's part of `/status`.

use calendar_edge_core::fleet::{FleetStanding, MemberTable};
use serde_json::{Value, json};

/// The fleet as `/status` shows it: this edge, whether its last exchange succeeded, and the edges that were there.
pub(super) fn status(edge: &str, standing: &FleetStanding, members: &MemberTable) -> Value {
    let shown = members.members().iter().map(|member| {
        json!({
            "edge": member.edge,
            "version": member.version,
            "configuration": member.configuration,
            "started": second(member.started),
            "admin": member.admin,
        })
    });
    json!({
        "edge": edge,
        "together": standing.is_together(),
        "since": second(standing.since.as_secs()),
        "fault": standing.fault,
        "exchange_ms": standing.exchange.as_secs_f64() * 1000.0,
        "versions": members.versions(),
        "configurations": members.configurations(),
        "members": shown.collect::<Vec<_>>(),
    })
}

/// A second since 1970 as RFC 3339 writes it.
fn second(unix_time: u64) -> String {
    let second = i64::try_from(unix_time).unwrap_or_default();
    format!("{:.0}", jiff::Timestamp::from_second(second).unwrap_or_default())
}
