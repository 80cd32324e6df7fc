//! The facts as a file keeps them over a restart.

use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::calendar_facts::Facts;
use super::event_fact::EventFact;
use super::facts_snapshot::FactsSnapshot;
use super::record_fact::RecordFact;
use super::site_facts::SiteFacts;
use crate::unix_time::UnixTime;

/// A file: its version, the site and the secret that it belongs to; number and sums of the site, and the second of its last
/// reply; whether changes may hide behind messages; how pages are made, and the events; the records, where they are wanted.
pub type KeptFacts = (
    u8,
    String,
    u64,
    String,
    u64,
    bool,
    SiteFacts,
    Vec<EventFact>,
    Option<Vec<RecordFact>>,
);

/// The same, to be written.
struct WrittenFacts {
    of: String,
    number: u64,
    sums: String,
    at: UnixTime,
    is_unproven: bool,
    snapshot: Arc<FactsSnapshot>,
}

/// The version of the file that is read here.
const VERSION: u8 = 3;

// === impl WrittenFacts ===

impl Serialize for WrittenFacts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let FactsSnapshot {
            site,
            events,
            records,
        } = &*self.snapshot;
        let records = records.as_ref();
        let records = records.map(|records| records.iter().map(|record| &**record).collect());
        let records: Option<Vec<&RecordFact>> = records;
        let (of, sums, at) = (&self.of, &self.sums, self.at.as_secs());
        let (number, is_unproven) = (self.number, self.is_unproven);
        (VERSION, of, number, sums, at, is_unproven, site, events, records).serialize(serializer)
    }
}

// === impl Facts ===

impl Facts {
    /// The facts with the name of their site, as a file keeps them; none unless they are whole. It takes long to serialise, and
    /// that needs the facts no more.
    pub fn document(&self, of: &str) -> Option<impl Serialize + use<>> {
        let (snapshot, last) = (self.snapshot()?, self.last.as_ref()?);
        Some(WrittenFacts {
            of: of.to_owned(),
            number: last.number,
            sums: last.sums.clone(),
            at: last.at,
            is_unproven: self.is_unproven,
            snapshot,
        })
    }

    /// The facts of an earlier run. They are whole only after a reply with the number and the sums at which they were
    /// read. None if they belong to another site, have another version, or have no records where these are wanted.
    pub fn of_kept(kept: KeptFacts, of: &str, with_records: bool) -> Option<Self> {
        let (version, kept_of, number, sums, at, is_unproven, site, events, records) = kept;
        let is_ours = version == VERSION && kept_of == of && records.is_some() == with_records;
        let state = (number, sums, UnixTime::from_secs(at));
        is_ours.then(|| Self::kept(site, events, records, state, is_unproven))
    }
}
