//! The facts as a file keeps them over a restart.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::calendar_facts::{Facts, LastReply};
use super::facts_snapshot::FactsSnapshot;
use crate::unix_time::UnixTime;

/// The content of a file.
#[derive(Debug, Serialize, Deserialize)]
pub struct KeptFacts {
    version: u8,
    /// The site and the secret that they belong to.
    of: String,
    /// Number, sums and time of the last reply of the site.
    number: u64,
    sums: String,
    at: UnixTime,
    /// True if changes may hide behind messages.
    is_unproven: bool,
    snapshot: Arc<FactsSnapshot>,
}

/// The version of the file that is read here.
const VERSION: u8 = 4;

// === impl Facts ===

impl Facts {
    /// The facts with the name of their site, as a file keeps them; none unless they are whole. It takes long to serialise, and
    /// that needs the facts no more.
    pub fn document(&self, of: &str) -> Option<KeptFacts> {
        let (snapshot, last) = (self.snapshot()?, self.last.as_ref()?);
        Some(KeptFacts {
            version: VERSION,
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
        let has_records = kept.snapshot.records.is_some();
        let is_ours = kept.version == VERSION && kept.of == of && has_records == with_records;
        let last = LastReply {
            number: kept.number,
            sums: kept.sums,
            messages: 0,
            at: kept.at,
        };
        is_ours.then(|| Self::kept(kept.snapshot, last, kept.is_unproven))
    }
}
