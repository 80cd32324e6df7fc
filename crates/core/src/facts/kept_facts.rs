//! The facts as a file keeps them over a restart.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::calendar_facts::Facts;
use super::event_fact::EventFact;
use super::site_facts::SiteFacts;

/// Whole facts, and the state of the site at which they were read.
#[derive(Serialize, Deserialize)]
struct KeptFacts<'a> {
    version: u8,
    /// The site and the secret that they belong to.
    of: Cow<'a, str>,
    number: u64,
    sums: Cow<'a, str>,
    is_unproven: bool,
    site: Cow<'a, SiteFacts>,
    events: Cow<'a, [EventFact]>,
}

/// The version of the file that is read here.
const VERSION: u8 = 1;

// === impl Facts ===

impl Facts {
    /// Writes the facts with the name of their site; none unless they are whole. The second step takes long, and needs the
    /// facts no more.
    pub fn to_json(&self, of: &str) -> Option<impl FnOnce() -> Option<String> + use<>> {
        let (snapshot, last) = (self.snapshot()?, self.last.as_ref()?);
        let (of, number, sums) = (of.to_owned(), last.number, last.sums.clone());
        let is_unproven = self.is_unproven;
        Some(move || {
            let kept = KeptFacts {
                version: VERSION,
                of: of.into(),
                number,
                sums: sums.into(),
                is_unproven,
                site: Cow::Borrowed(&snapshot.site),
                events: Cow::Borrowed(&snapshot.events),
            };
            serde_json::to_string(&kept).ok()
        })
    }

    /// The facts of an earlier run. They are whole only after a reply with the number and the sums at which they were
    /// read. None if they belong to another site, or cannot be read.
    pub fn from_json(text: &str, of: &str) -> Option<Self> {
        let kept: KeptFacts<'_> = serde_json::from_str(text).ok()?;
        if kept.version != VERSION || kept.of != of {
            return None;
        }
        let state = (kept.number, kept.sums.into_owned());
        let (site, events) = (kept.site.into_owned(), kept.events.into_owned());
        Some(Self::kept(site, events, state, kept.is_unproven))
    }
}
