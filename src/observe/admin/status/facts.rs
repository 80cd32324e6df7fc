//! Facts that stay as they are from the start of the edge, and from one reload to the next.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::telemetry::unix_time;
use calendar_edge_core::settings::{ListenAddress, OtherTraffic, Profile, Settings};
use calendar_edge_core::unix_time::UnixTime;
use calendar_edge_judge::contract::{TablesInForce, table};

/// Facts that stay as they are from the start on.
#[derive(Debug)]
pub(crate) struct EdgeFacts {
    pub(in crate::observe::admin) started: UnixTime,
    clock: Instant,
    /// The listeners for clients.
    pub(in crate::observe::admin) listeners: Vec<String>,
}

// === impl EdgeFacts ===

impl EdgeFacts {
    /// An edge that starts now with these listeners.
    pub(crate) fn now(listeners: &[ListenAddress]) -> Self {
        Self {
            started: unix_time(),
            clock: Instant::now(),
            listeners: listeners.iter().map(ToString::to_string).collect(),
        }
    }

    /// The time since the start.
    pub(in crate::observe::admin) fn uptime(&self) -> Duration {
        self.clock.elapsed()
    }
}

/// The roots with their indexes, compared with the table.
pub(in crate::observe::admin) fn root_figures(
    settings: &Settings,
    tables: &TablesInForce,
) -> Vec<(String, usize)> {
    let roots = settings.roots.iter().enumerate();
    let figures = roots.map(|(place, root)| (root.path.clone(), tables.of_root(place).differences().len()));
    figures.collect()
}

/// The settings in use that operators look at, with the index of each root, compared with the table.
pub(in crate::observe::admin) fn setting_facts(settings: &Settings, tables: &TablesInForce) -> Value {
    let roots = settings.roots.iter().enumerate();
    let roots = roots.map(|(place, root)| {
        let table = tables.of_root(place);
        json!({
            "path": root.path,
            "language": root.language,
            "site": root.origin_url,
            "contract": {
                "read": table.is_read,
                "version": table.site_version.to_string(),
                "differences": table.differences(),
            },
        })
    });
    json!({
        "mode": settings.mode.name(),
        "modes": modes(settings),
        "calendar_pages_mode": settings.calendar_pages.mode.name(),
        "profile": match settings.profile {
            Profile::Compatible => "compatible",
            Profile::Strict => "strict",
        },
        "other": match settings.other {
            OtherTraffic::Refuse => "refuse",
            OtherTraffic::Forward => "forward",
        },
        "site": settings.origin.url,
        "namespaces": settings.public_namespaces(),
        "roots": roots.collect::<Value>(),
    })
}

/// The operations with a mode of their own.
fn modes(settings: &Settings) -> BTreeMap<&'static str, &'static str> {
    let operations = table().operations().iter();
    let own = operations.filter_map(|operation| {
        let mode = settings.operations.get(&operation.id)?.mode?;
        Some((operation.name.as_str(), mode.name()))
    });
    own.collect()
}
