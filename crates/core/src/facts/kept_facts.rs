//! The facts as a file keeps them over a restart.

use super::calendar_facts::Facts;
use super::event_fact::EventFact;
use super::site_facts::SiteFacts;

/// A file: its version, the site and the secret that it belongs to; number and sums of the site; whether changes may hide
/// behind messages; how pages are made, and the events.
type KeptFacts = (u8, String, u64, String, bool, SiteFacts, Vec<EventFact>);

/// The version of the file that is read here.
const VERSION: u8 = 1;

// === impl Facts ===

impl Facts {
    /// Writes the facts with the name of their site; none unless they are whole. The second step takes long, and needs the
    /// facts no more.
    pub fn to_json(&self, of: &str) -> Option<impl FnOnce() -> Option<String> + use<>> {
        let (snapshot, last) = (self.snapshot()?, self.last.as_ref()?);
        let state = (last.number, last.sums.clone(), self.is_unproven);
        let of = of.to_owned();
        Some(move || {
            let (number, sums, is_unproven) = state;
            let kept = (
                VERSION,
                of,
                number,
                sums,
                is_unproven,
                &snapshot.site,
                &snapshot.events,
            );
            serde_json::to_string(&kept).ok()
        })
    }

    /// The facts of an earlier run. They are whole only after a reply with the number and the sums at which they were
    /// read. None if they belong to another site, or cannot be read.
    pub fn from_json(text: &str, of: &str) -> Option<Self> {
        let kept: KeptFacts = serde_json::from_str(text).ok()?;
        let (version, kept_of, number, sums, is_unproven, site, events) = kept;
        let is_ours = version == VERSION && kept_of == of;
        is_ours.then(|| Self::kept(site, events, (number, sums), is_unproven))
    }
}
