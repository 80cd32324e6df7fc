//! The records of a site, where a copy needs them.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::copy_site::CopySite;
use super::facts_question::FactsQuestion;
use super::facts_reply::FactsReply;
use super::record_fact::RecordFact;

/// The records as far as they are read; nothing where nobody needs them.
#[derive(Debug, Default)]
pub(super) struct FactRecords {
    pub(super) are_wanted: bool,
    pub(super) site: Option<Arc<CopySite>>,
    pub(super) records: BTreeMap<u64, Arc<RecordFact>>,
}

/// All records of a site and how they are listed, at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyFacts {
    /// How they are listed, and their terms.
    pub site: Arc<CopySite>,
    /// The records in the order of their numbers.
    pub records: Vec<Arc<RecordFact>>,
}

// === impl FactRecords ===

impl FactRecords {
    pub(super) fn wanted(are_wanted: bool) -> Self {
        Self {
            are_wanted,
            ..Self::default()
        }
    }

    /// What an earlier run has kept.
    pub(super) fn kept(kept: Option<(CopySite, Vec<RecordFact>)>) -> Self {
        let are_wanted = kept.is_some();
        let (site, records) = kept.unzip();
        let records = records.unwrap_or_default().into_iter();
        Self {
            are_wanted,
            site: site.map(Arc::new),
            records: records.map(|record| (record.id, Arc::new(record))).collect(),
        }
    }

    /// The most events, and records where these are wanted, of one question.
    pub(super) const fn most_asked(&self) -> usize {
        if self.are_wanted {
            FactsReply::MOST_RECORDS
        } else {
            100
        }
    }

    /// The records that show an image.
    pub(super) fn with_image(&self, image: u64) -> impl Iterator<Item = u64> {
        let shows = move |record: &&Arc<RecordFact>| record.image == image;
        self.records.values().filter(shows).map(|record| record.id)
    }

    /// Takes what a reply tells of records. True if anything is different now.
    pub(super) fn take(&mut self, reply: &mut FactsReply, question: &FactsQuestion) -> bool {
        let Some(records) = reply.records.take() else {
            return false;
        };
        let (next, left) = (reply.next, &reply.left);
        let is_asked = |id: u64| question.asks(id, next) && !left.contains(&id);
        let known = self.records.values().filter(|record| is_asked(record.id));
        let is_other = !known.map(|record| &**record).eq(&records);
        if is_other {
            self.records.retain(|id, _| !is_asked(*id));
            let records = records.into_iter().map(|record| (record.id, Arc::new(record)));
            self.records.extend(records);
        }
        self.take_site(reply.copy.take(), std::mem::take(&mut reply.fold)) || is_other
    }

    /// Each reply tells the letters of its records, so that all that were told are joined.
    fn take_site(&mut self, site: Option<CopySite>, letters: HashMap<char, String>) -> bool {
        let known = self.site.as_deref();
        let is_told = |known: &CopySite| {
            letters
                .iter()
                .all(|(letter, other)| known.fold.get(letter) == Some(other))
        };
        if site.is_none() && known.is_none_or(is_told) {
            return false;
        }
        let Some(mut joined) = site.or_else(|| known.cloned()) else {
            return false;
        };
        let known = self.site.as_ref().map(|site| site.fold.clone());
        joined.fold.extend(known.unwrap_or_default());
        joined.fold.extend(letters);
        let is_other = self.site.as_deref() != Some(&joined);
        if is_other {
            self.site = Some(Arc::new(joined));
        }
        is_other
    }

    /// All of it at this moment; none where nobody needs it, or before it is read.
    pub(super) fn copy(&self) -> Option<CopyFacts> {
        Some(CopyFacts {
            site: self.site.clone().filter(|_| self.are_wanted)?,
            records: self.records.values().cloned().collect(),
        })
    }
}
