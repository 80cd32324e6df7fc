//! The facts by which a request is explained.

use serde_json::Value;

use crate::cache::{CompanionSigns, SiteZone};
use crate::gateway::authority::PublicAddress;
use crate::gateway::decision::RequestHead;
use crate::settings::{BackendSettings, CutoverRule, Settings};
use crate::unix_time::UnixTime;
use calendar_edge_judge::call::ForwardableCall;
use calendar_edge_judge::contract::TablesInForce;
use calendar_edge_judge::problem::Refusal;

/// The settings and tables that decide about a request, and the state that only a running edge has.
pub struct Basis<'a> {
    /// The settings, with the words of the site.
    pub settings: &'a Settings,
    /// The table of each root.
    pub tables: &'a TablesInForce,
    /// Where the index of the site was read: the story has it as it is.
    pub index: Value,
    /// The current time.
    pub now: UnixTime,
    /// Writes a call as the backend would get it, as JSON without secrets.
    pub write:
        fn(&BackendSettings, &ForwardableCall, &RequestHead<'_>, &PublicAddress) -> Result<Value, Refusal>,
    /// The rules of `[[cutover]]` that are returned to the site, with the reason; none: no edge runs.
    pub returned: Option<Vec<(String, String)>>,
    /// The time zone of the site.
    pub zone: Option<&'a SiteZone>,
    /// The last signs of the companion plugin.
    pub companion: Option<CompanionSigns>,
    /// The response to a calendar page, by its target; it depends on the events of this moment.
    pub page: &'a dyn Fn(&str) -> Value,
}

// === impl Basis ===

impl Basis<'_> {
    /// True if a running edge decides.
    pub(super) const fn is_of_edge(&self) -> bool {
        self.returned.is_some()
    }

    /// The reason why the guard of a rule has returned it to the site; none: it has not, or that is unknown.
    pub(super) fn return_reason(&self, rule: &CutoverRule) -> Option<&str> {
        let mut returned = self.returned.iter().flatten();
        returned
            .find(|(name, _)| *name == rule.name)
            .map(|(_, reason)| &**reason)
    }
}
