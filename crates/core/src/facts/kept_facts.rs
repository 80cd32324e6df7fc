//! The facts as a file keeps them over a restart.

use std::io::{Read, Write};

use super::calendar_facts::Facts;
use super::event_fact::EventFact;
use super::record_fact::RecordFact;
use super::site_facts::SiteFacts;
use crate::unix_time::UnixTime;

/// A file: its version, the site and the secret that it belongs to; number and sums of the site, and the second of its last
/// reply; whether changes may hide behind messages; how pages are made, and the events; the records, where they are wanted.
type KeptFacts = (
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

/// The version of the file that is read here.
const VERSION: u8 = 3;

// === impl Facts ===

impl Facts {
    /// Writes the facts with the name of their site; none unless they are whole. The second step takes long, and needs the
    /// facts no more.
    pub fn to_json(&self, of: &str) -> Option<impl FnOnce(&mut dyn Write) -> serde_json::Result<()> + use<>> {
        let (snapshot, last) = (self.snapshot()?, self.last.as_ref()?);
        let state = (last.number, last.sums.clone(), last.at, self.is_unproven);
        let of = of.to_owned();
        Some(move |file: &mut dyn Write| {
            let (number, sums, at, is_unproven) = state;
            let records = snapshot.records.as_ref();
            let records = records.map(|records| records.iter().map(|record| &**record).collect());
            let records: Option<Vec<&RecordFact>> = records;
            let kept = (
                VERSION,
                of,
                number,
                sums,
                at.as_secs(),
                is_unproven,
                &snapshot.site,
                &snapshot.events,
                records,
            );
            serde_json::to_writer(file, &kept)
        })
    }

    /// The facts of an earlier run. They are whole only after a reply with the number and the sums at which they were
    /// read. None if they belong to another site, cannot be read, or have no records where these are wanted.
    pub fn from_json(file: impl Read, of: &str, with_records: bool) -> Option<Self> {
        let kept: KeptFacts = serde_json::from_reader(file).ok()?;
        let (version, kept_of, number, sums, at, is_unproven, site, events, records) = kept;
        let is_ours = version == VERSION && kept_of == of && records.is_some() == with_records;
        is_ours.then(|| {
            Self::kept(
                site,
                events,
                records,
                (number, sums, UnixTime::from_secs(at)),
                is_unproven,
            )
        })
    }
}
