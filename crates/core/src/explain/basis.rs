//! The facts by which a request is explained.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::cache::{CompanionSigns, SiteZone};
use crate::gateway::authority::PublicAddress;
use crate::gateway::decision::RequestHead;
use crate::settings::{BackendSettings, Settings};
use crate::unix_time::UnixTime;
use calendar_edge_judge::call::ForwardableCall;
use calendar_edge_judge::contract::TablesInForce;
use calendar_edge_judge::problem::Refusal;

/// The settings and tables that decide about a request, and the state of the edge that runs with them.
pub struct Basis<'a> {
    /// The settings, with the words of the site.
    pub settings: &'a Settings,
    /// The table of each root.
    pub tables: &'a TablesInForce,
    /// The current time.
    pub now: UnixTime,
    /// Writes a call as the backend would get it, as JSON without secrets.
    pub write:
        fn(&BackendSettings, &ForwardableCall, &RequestHead<'_>, &PublicAddress) -> Result<Value, Refusal>,
    /// The rules of `[[cutover]]` that their guards have returned to the site, with the reason.
    pub returned: BTreeMap<String, String>,
    /// The time zone of the site.
    pub zone: Option<&'a SiteZone>,
    /// The last signs of the companion plugin.
    pub companion: Option<CompanionSigns>,
    /// The response to a calendar page, by its target; it depends on the events of this moment.
    pub page: &'a dyn Fn(&str) -> Value,
}
