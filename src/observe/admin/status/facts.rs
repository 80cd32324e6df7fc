//! What stays as it is from the start of the edge, and from one reload to the next.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde::Serialize;
use url::Url;

use super::contract::ContractFacts;
use crate::server::BoundAddress;
use crate::telemetry::unix_time;
use calendar_edge_core::settings::{OtherTraffic, Profile, Root, Settings};
use calendar_edge_core::unix_time::UnixTime;
use calendar_edge_judge::contract::{TablesInForce, table};

/// What stays as it is from the start on.
#[derive(Debug)]
pub(crate) struct EdgeFacts {
    pub(in crate::observe::admin) started: UnixTime,
    clock: Instant,
    /// The listeners for clients.
    pub(super) listeners: Vec<String>,
}

/// What operators want to see of the settings in use.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct SettingFacts {
    mode: &'static str,
    /// The operations with a mode of their own.
    modes: BTreeMap<&'static str, &'static str>,
    profile: &'static str,
    other: &'static str,
    site: String,
    namespaces: Vec<String>,
    roots: Vec<RootFacts>,
}

#[derive(Debug, Clone, Serialize)]
struct RootFacts {
    path: String,
    language: Option<String>,
    site: String,
    contract: ContractFacts,
}

// === impl EdgeFacts ===

impl EdgeFacts {
    /// An edge that starts now with these listeners.
    pub(crate) fn now(listeners: &[BoundAddress]) -> Self {
        Self {
            started: unix_time(),
            clock: Instant::now(),
            listeners: listeners.iter().map(ToString::to_string).collect(),
        }
    }

    /// The listeners for clients.
    pub(in crate::observe::admin) fn listeners(&self) -> &[String] {
        &self.listeners
    }

    pub(super) fn uptime(&self) -> Duration {
        self.clock.elapsed()
    }
}

// === impl SettingFacts ===

impl SettingFacts {
    pub(in crate::observe::admin) fn of(settings: &Settings, tables: &TablesInForce) -> Self {
        let roots = settings.roots.iter().enumerate();
        Self {
            mode: settings.mode.name(),
            modes: modes(settings),
            profile: match settings.profile {
                Profile::Compatible => "compatible",
                Profile::Strict => "strict",
            },
            other: match settings.other {
                OtherTraffic::Refuse => "refuse",
                OtherTraffic::Forward => "forward",
            },
            site: shown(&settings.origin.url),
            namespaces: settings.public_namespaces(),
            roots: roots
                .map(|(place, root)| RootFacts::of(root, ContractFacts::of(tables.of_root(place))))
                .collect(),
        }
    }
}

fn modes(settings: &Settings) -> BTreeMap<&'static str, &'static str> {
    let operations = table().operations().iter();
    let own = operations.filter_map(|operation| {
        let mode = settings.operations.get(&operation.id)?.mode?;
        Some((operation.name.as_str(), mode.name()))
    });
    own.collect()
}

/// A URL without its user and password.
fn shown(url: &Url) -> String {
    let mut url = url.clone();
    // Only a URL without a host cannot be changed like this, and such a URL names nobody.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.into()
}

// === impl RootFacts ===

impl RootFacts {
    fn of(root: &Root, contract: ContractFacts) -> Self {
        Self {
            path: root.path.clone(),
            language: root.language.clone(),
            site: shown(&root.origin_url),
            contract,
        }
    }
}
