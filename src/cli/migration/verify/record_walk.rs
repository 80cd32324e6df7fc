//! The walk through all lists, and through every record that they or the companion plugin name.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use anyhow::{Context as _, bail};
use calendar_edge::app::DryRunCall;
use calendar_edge_core::companion::facts::FactsSnapshot;
use calendar_edge_core::migration::ListCount;
use calendar_edge_core::migration::comparison::DifferenceClass;
use calendar_edge_core::settings::Settings;
use calendar_edge_judge::contract::Kind;
use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::list_reader::{ListPage, ListReader, WalkedList, ensure_readable};
use super::listed::{RecordKey, VerifiedRecord, WalkSummary, record_paths};
use super::named_records::facts;
use super::progress::TerminalProgress;
use super::sides::{ComparedCall, Sides};

/// Records that are compared at once.
const CONCURRENCY: usize = 4;

/// A walk on its way.
pub(super) struct RecordWalk<'s> {
    reader: ListReader<'s>,
    sides: Arc<Sides>,
    progress: TerminalProgress,
    running: JoinSet<anyhow::Result<ComparedRecord>>,
    seen: BTreeSet<RecordKey>,
    found: WalkFindings,
}

/// A record with its calls; none: the site does not show it.
type ComparedRecord = Option<(VerifiedRecord, Vec<ComparedCall>)>;

/// The findings of a walk.
#[derive(Debug, Default)]
pub(super) struct WalkFindings {
    /// The report about all calls, as JSON.
    pub(super) report: Value,
    /// By kind, the records, and those of them that are equal.
    pub(super) counts: BTreeMap<String, WalkSummary>,
    /// The records that are not equal.
    pub(super) unequal: Vec<VerifiedRecord>,
    /// The records that only the other backend lists.
    pub(super) only_there: BTreeSet<RecordKey>,
    /// The parts that were not compared.
    pub(super) not_covered: Vec<String>,
    /// Lists that have more records than they showed, where no other source names these.
    pub(super) incomplete: Vec<String>,
    /// Records that the plugin names, and the site does not show.
    withheld: usize,
    /// Pages of lists, and those of them that are not equal.
    pub(super) pages: u64,
    pub(super) unequal_pages: u64,
}

// === impl RecordWalk ===

impl<'s> RecordWalk<'s> {
    pub(super) fn new(settings: &'s Settings, sides: Sides, headers: HeaderMap) -> Self {
        Self {
            reader: ListReader::new(settings, headers),
            sides: Arc::new(sides),
            progress: TerminalProgress::new(),
            running: JoinSet::new(),
            seen: BTreeSet::new(),
            found: WalkFindings::default(),
        }
    }

    /// Walks over all lists, and then over the further records that the companion plugin names: no list has to be
    /// whole.
    ///
    /// # Errors
    ///
    /// When the site fails or refuses.
    pub(super) async fn all(mut self) -> anyhow::Result<WalkFindings> {
        let mut shortfalls = Vec::new();
        for list in self.reader.lists() {
            shortfalls.extend(self.list(list).await?);
        }
        let named = facts(self.reader.settings, &self.sides.pace).await;
        if let Ok(facts) = &named {
            self.unlisted(facts).await?;
        }
        self.finish(0).await?;
        let unnamed = match named {
            Ok(_) if self.found.withheld == 0 => None,
            Ok(_) => Some(format!(
                "{} records that the companion plugin names and the site does not show to this reader",
                self.found.withheld
            )),
            Err(reason) => {
                self.found.incomplete = shortfalls;
                Some(format!(
                    "events that are hidden from lists (`hide_from_listings`) or have no dates: the companion plugin does \
                     not name them: {reason:#}"
                ))
            }
        };
        let private = "drafts, pending, scheduled and private records: an account reads them (-H)";
        let private = (!self.reader.has_account).then(|| private.to_owned());
        let trash = Some("the trash, which no list shows".to_owned());
        self.found.not_covered = [unnamed, private, trash].into_iter().flatten().collect();
        self.end()
    }

    fn end(mut self) -> anyhow::Result<WalkFindings> {
        if self.found.pages > 0 && self.found.counts.is_empty() && self.reader.has_account {
            bail!("no list names a record to the account: nothing was compared");
        }
        self.found.only_there.retain(|key| !self.seen.contains(key));
        self.progress.end();
        self.found.report = self.sides.findings.to_json(self.sides.accepted);
        self.found.unequal.sort_by(|one, other| one.key.cmp(&other.key));
        Ok(self.found)
    }

    /// Compares all pages of a list, and the records on them. Returns the reason why some may be missing.
    async fn list(&mut self, list: WalkedList<'_>) -> anyhow::Result<Option<String>> {
        let mut count = ListCount::default();
        for number in 1.. {
            let Some(call) = self.call(list.root, &list.page(number))? else {
                return Ok(None);
            };
            let compared = self.sides.compared(&list.page(number), &call).await?;
            let page = ListPage::read(list, number, &compared.primary)?;
            let theirs = ListPage::read(list, number, &compared.other).ok();
            let theirs = theirs.unwrap_or_default();
            self.found.pages += 1;
            self.found.unequal_pages += u64::from(compared.findings.worst() > self.sides.accepted);
            self.sides.add(&compared);
            page.count_in(&mut count);
            for item in &page.records {
                let record = VerifiedRecord::listed(list.root, list.kind, item);
                let record = record.context("a record without a number")?;
                self.check(list.kind, record, true).await?;
            }
            self.show(list.kind, page.total.unwrap_or_default());
            let listed = theirs.records.iter();
            let listed = listed.filter_map(|item| VerifiedRecord::listed(list.root, list.kind, item));
            let listed = listed.map(|record| record.key);
            // Those that the site lists later are dropped at the end.
            let unseen = listed.filter(|key| !self.seen.contains(key));
            self.found.only_there.extend(unseen);
            // The other one may have more pages.
            if number >= page.pages.max(theirs.pages) {
                break;
            }
        }
        Ok(count.shortfall().map(|shortfall| format!("{list}: {shortfall}")))
    }

    /// Compares the records that no list has shown, below the first root.
    async fn unlisted(&mut self, facts: &FactsSnapshot) -> anyhow::Result<()> {
        let root = self.reader.lists().first().map_or("", |list| list.root);
        let listed: BTreeSet<(String, u64)> =
            self.seen.iter().map(|key| (key.kind.clone(), key.id)).collect();
        for named in facts.named_records() {
            let (kind, id) = (named.kind, named.id);
            if (named.is_public || self.reader.has_account)
                && !listed.contains(&(kind.collection().to_owned(), id))
            {
                let item = json!({"id": id, "slug": named.slug});
                let record = VerifiedRecord::listed(root, kind, &item);
                let record = record.context("a record without a number")?;
                self.check(kind, record, false).await?;
            }
        }
        Ok(())
    }

    /// Begins to compare a record, unless that is done. A list of the site shows it to this reader if `is_listed`;
    /// else the companion plugin names it.
    async fn check(&mut self, kind: Kind, mut record: VerifiedRecord, is_listed: bool) -> anyhow::Result<()> {
        if !self.seen.insert(record.key.clone()) {
            return Ok(());
        }
        let mut calls = Vec::new();
        for path in record_paths(kind, &record, self.reader.has_account) {
            let call = self.call(&record.key.root, &path)?;
            calls.extend(call.map(|call| (path, call)));
        }
        self.finish(CONCURRENCY - 1).await?;
        let sides = Arc::clone(&self.sides);
        self.running.spawn(async move {
            let mut compared = Vec::new();
            for (path, call) in calls {
                let both = sides.compared(&path, &call).await?;
                if is_listed {
                    ensure_readable(&path, &both.primary)?;
                } else if compared.is_empty() && both.primary.status != StatusCode::OK {
                    // It has gone meanwhile, or is not for this reader.
                    return Ok(None);
                }
                compared.push(both);
            }
            record.note(&compared, sides.accepted);
            Ok(Some((record, compared)))
        });
        Ok(())
    }

    fn show(&mut self, kind: Kind, total: u64) {
        let (name, found) = (kind.collection(), &self.found);
        let done = found.counts.get(name).map_or(0, |counts| counts.records);
        let unequal = found.unequal.len();
        self.progress
            .show(|| format!("{name}: {done} of {total} records; {unequal} of all are not equal"));
    }

    /// Waits until at most so many records are being compared.
    async fn finish(&mut self, most: usize) -> anyhow::Result<()> {
        while self.running.len() > most {
            let Some(done) = self.running.join_next().await else {
                break;
            };
            let Some((record, compared)) = done.context("a comparison ended early")?? else {
                self.found.withheld += 1;
                continue;
            };
            self.found.count(record, self.sides.accepted);
            for call in &compared {
                self.sides.add(call);
            }
        }
        Ok(())
    }

    /// The call of a path below the namespace; none if it is not compared, which is counted.
    fn call(&mut self, root: &str, path: &str) -> anyhow::Result<Option<DryRunCall>> {
        let call = self.reader.call(root, path)?.and_then(|call| {
            let withheld = self.sides.withheld(&call);
            withheld.map_or(Ok(call), Err)
        });
        let skip = |reason| self.sides.findings.skip(None, reason);
        Ok(call.map_err(skip).ok())
    }
}

// === impl WalkFindings ===

impl WalkFindings {
    fn count(&mut self, record: VerifiedRecord, accepted: DifferenceClass) {
        let counts = self.counts.entry(record.key.kind.clone()).or_default();
        counts.records += 1;
        if record.class <= accepted {
            counts.equal += 1;
        } else {
            self.unequal.push(record);
        }
    }
}

// === impl VerifiedRecord ===

impl VerifiedRecord {
    /// Notes what its calls have found, the first of which reads it by its number.
    fn note(&mut self, compared: &[ComparedCall], accepted: DifferenceClass) {
        if let Some(first) = compared.first() {
            self.status = first.primary.status.as_u16();
        }
        let worst = compared.iter().map(|call| call.findings.worst()).max();
        self.class = worst.unwrap_or(DifferenceClass::Identical);
        let findings = compared.iter().flat_map(|call| call.findings.iter());
        let refused = findings.filter(|finding| finding.class > accepted);
        let paths: BTreeSet<String> = refused.map(|finding| finding.path.clone()).collect();
        self.paths = paths.into_iter().collect();
    }
}
