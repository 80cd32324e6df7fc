//! The walk through all lists, and through every record that they name.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use calendar_edge::app::DryRunCall;
use calendar_edge_core::migration::comparison::{ComparisonReport, DifferenceClass};
use calendar_edge_core::settings::Settings;
use calendar_edge_judge::contract::Kind;
use http::HeaderMap;
use serde_json::json;
use tokio::task::JoinSet;

use super::super::super::call_judge::Judged;
use super::super::super::list_reader::{
    ListPage, ListReader, ListSource, MOST_PASSES, WalkedList, ensure_readable, patiently,
};
use super::super::super::pace::Pace;
use super::super::super::progress::TerminalProgress;
use super::super::super::unlisted::Uncovered;
use super::super::sides::{ComparedCall, Sides};
use super::listed::record_paths;
use super::manifest::{Manifest, RecordKey, VerifiedRecord, WalkSummary, hash};

/// Records that are compared at once.
const CONCURRENCY: usize = 4;

/// A walk on its way.
pub(super) struct RecordWalk<'s> {
    reader: ListReader<'s>,
    sides: Arc<PacedSides>,
    manifest: Manifest,
    progress: TerminalProgress,
    running: JoinSet<anyhow::Result<(VerifiedRecord, Vec<ComparedCall>)>>,
    seen: BTreeSet<RecordKey>,
    /// The records that the pass under way was named.
    named: BTreeSet<RecordKey>,
    found: WalkFindings,
}

/// How calls are compared.
struct PacedSides {
    sides: Sides,
    pace: Pace,
    accepted: DifferenceClass,
}

/// What a walk has found.
#[derive(Debug, Default)]
pub(super) struct WalkFindings {
    pub(super) report: ComparisonReport,
    /// By kind, the records, and those of them that are equal.
    pub(super) counts: BTreeMap<String, WalkSummary>,
    /// The records that are not equal.
    pub(super) unequal: Vec<VerifiedRecord>,
    /// The records that only the other backend lists.
    pub(super) only_there: BTreeSet<RecordKey>,
    uncovered: Uncovered,
    /// What was not compared.
    pub(super) not_covered: Vec<String>,
    /// Pages of lists, and those of them that are not equal.
    pub(super) pages: u64,
    pub(super) unequal_pages: u64,
    /// Records that an earlier run has compared.
    pub(super) resumed: u64,
}

// === impl RecordWalk ===

impl<'s> RecordWalk<'s> {
    pub(super) fn new(
        settings: &'s Settings,
        sides: Sides,
        headers: HeaderMap,
        manifest: Manifest,
        (rate, accepted): (NonZeroU32, DifferenceClass),
    ) -> Self {
        Self {
            reader: ListReader::new(settings, headers),
            sides: Arc::new(PacedSides {
                sides,
                pace: Pace::new(rate),
                accepted,
            }),
            manifest,
            progress: TerminalProgress::new(),
            running: JoinSet::new(),
            seen: BTreeSet::new(),
            named: BTreeSet::new(),
            found: WalkFindings::default(),
        }
    }

    /// Walks until a walk finds the records that the one before found: then none was missed because a page moved. A
    /// record that was compared is not compared again.
    ///
    /// # Errors
    ///
    /// When the site fails, refuses or changes in each walk, or the manifest cannot be written. What was found so far is
    /// in the manifest.
    pub(super) async fn all(mut self) -> anyhow::Result<WalkFindings> {
        let mut before = BTreeSet::new();
        for _ in 0..MOST_PASSES {
            self.found.uncovered = Uncovered::default();
            for list in self.reader.lists(true) {
                match list.source {
                    ListSource::WordPress => self.unlisted(list).await?,
                    ListSource::Calendar | ListSource::Trash => self.list(list).await?,
                }
            }
            self.finish(0).await?;
            let named = std::mem::take(&mut self.named);
            if named == before {
                return self.end();
            }
            before = named;
        }
        bail!(
            "the site changed during each of {MOST_PASSES} walks over its lists: try again when fewer people write"
        );
    }

    fn end(mut self) -> anyhow::Result<WalkFindings> {
        let sum = |count: fn(&WalkSummary) -> u64| self.found.counts.values().map(count).sum();
        let ending = WalkSummary {
            records: sum(|counts| counts.records),
            equal: sum(|counts| counts.equal),
        };
        if self.found.pages > 0 && ending.records == 0 && self.reader.has_account() {
            bail!("no list names a record to the account: nothing was compared");
        }
        self.found.only_there.retain(|key| !self.seen.contains(key));
        self.found.not_covered = self.reader.not_covered(&self.found.uncovered);
        self.manifest.line(&json!({
            "records": ending.records,
            "equal": ending.equal,
            "only_there": self.found.only_there,
            "not_covered": self.found.not_covered,
        }))?;
        self.progress.end();
        self.found.unequal.sort_by(|one, other| one.key.cmp(&other.key));
        Ok(self.found)
    }

    /// Compares all pages of a list, and the records on them.
    async fn list(&mut self, list: WalkedList<'_>) -> anyhow::Result<()> {
        for number in 1.. {
            let Some(call) = self.call(list.root, &list.page(number))? else {
                return Ok(());
            };
            let compared = self.sides.compared(&call).await?;
            let page = ListPage::read(list, number, &compared.primary)?;
            let theirs = ListPage::read(list, number, &compared.other).ok();
            let theirs = theirs.unwrap_or_default();
            self.found.pages += 1;
            self.found.unequal_pages += u64::from(compared.findings.worst() > self.sides.accepted);
            self.found.add(compared);
            self.check_page(list, &page).await?;
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
        Ok(())
    }

    /// Compares the events that WordPress itself lists.
    async fn unlisted(&mut self, list: WalkedList<'_>) -> anyhow::Result<()> {
        for number in 1.. {
            let page = self.reader.numbers(&self.sides.pace, list, number).await;
            self.found.uncovered.note(page.as_ref());
            let Some(page) = page else { break };
            self.check_page(list, &page).await?;
            if number >= page.pages {
                break;
            }
        }
        Ok(())
    }

    /// Compares the records of a page.
    async fn check_page(&mut self, list: WalkedList<'_>, page: &ListPage) -> anyhow::Result<()> {
        for item in &page.records {
            let record = VerifiedRecord::listed(list.root, list.kind, item);
            let record = record.context("a record without a number")?;
            self.named.insert(record.key.clone());
            self.check(list.kind, record, page.total).await?;
        }
        Ok(())
    }

    /// Begins to compare a record, unless that is done.
    async fn check(&mut self, kind: Kind, mut record: VerifiedRecord, total: u64) -> anyhow::Result<()> {
        if !self.seen.insert(record.key.clone()) {
            return Ok(());
        }
        if let Some(known) = self.manifest.known(&record).cloned() {
            self.found.resumed += 1;
            self.found.count(known, self.sides.accepted);
            return Ok(());
        }
        let mut calls = Vec::new();
        for path in record_paths(kind, &record, self.reader.has_account()) {
            let call = self.call(&record.key.root, &path)?;
            calls.extend(call.map(|call| (path, call)));
        }
        self.finish(CONCURRENCY - 1).await?;
        let sides = Arc::clone(&self.sides);
        self.running.spawn(async move {
            let mut compared = Vec::new();
            for (path, call) in calls {
                let both = sides.compared(&call).await?;
                ensure_readable(&path, &both.primary)?;
                compared.push(both);
            }
            record.note(&compared, sides.accepted);
            Ok((record, compared))
        });
        self.show(kind, total);
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
            let (record, compared) = done.context("a comparison ended early")??;
            self.manifest.line(&record)?;
            self.found.count(record, self.sides.accepted);
            for call in compared {
                self.found.add(call);
            }
        }
        Ok(())
    }

    /// The call of a path below the namespace; none if it is not compared, which is counted.
    fn call(&mut self, root: &str, path: &str) -> anyhow::Result<Option<DryRunCall>> {
        let skipped = match self.reader.call(root, path)? {
            Judged::Call(call) => match self.sides.sides.withheld(&call) {
                None => return Ok(Some(*call)),
                Some(reason) => reason,
            },
            Judged::Answered => "answered by the edge itself",
            Judged::Elsewhere => "not for the calendar",
        };
        self.found.report.skip(None, skipped);
        Ok(None)
    }
}

// === impl PacedSides ===

impl PacedSides {
    /// Compares a call. Answers that differ are asked for again: an edit may have come between them.
    async fn compared(&self, call: &DryRunCall) -> anyhow::Result<ComparedCall> {
        let first = self.once(call).await?;
        if first.findings.worst() <= self.accepted {
            return Ok(first);
        }
        let second = self.once(call).await?;
        Ok(if second.findings.worst() < first.findings.worst() {
            second
        } else {
            first
        })
    }

    /// A call that both have answered, when one has failed up to a few times.
    async fn once(&self, call: &DryRunCall) -> anyhow::Result<ComparedCall> {
        let ask = || self.sides.compare(call);
        patiently(&self.pace, ask, |compared| self.sides.trouble(compared)).await
    }
}

// === impl WalkFindings ===

impl WalkFindings {
    fn add(&mut self, compared: ComparedCall) {
        self.report.note_ended(compared.ended);
        self.report
            .add(&compared.reported, &compared.findings, jiff::Timestamp::now());
    }

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
            self.hash = hash(&first.primary.body);
        }
        let worst = compared.iter().map(|call| call.findings.worst()).max();
        self.class = worst.unwrap_or(DifferenceClass::Identical);
        let findings = compared.iter().flat_map(|call| call.findings.iter());
        let refused = findings.filter(|finding| finding.class > accepted);
        let paths: BTreeSet<String> = refused.map(|finding| finding.path).collect();
        self.paths = paths.into_iter().collect();
    }
}
