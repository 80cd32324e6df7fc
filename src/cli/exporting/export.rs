//! The command: walks over all lists, reads what they lack or what changed meanwhile by its number, and writes the
//! files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::sync::Arc;

use anyhow::{Context as _, anyhow, bail, ensure};
use calendar_edge::app::{DryRun, DryRunResponse};
use calendar_edge::backend::with_listed_namespace;
use calendar_edge_core::companion::facts::FactsSnapshot;
use calendar_edge_core::migration::ListCount;
use calendar_edge_core::migration::comparison::Comparer;
use calendar_edge_core::settings::Settings;
use calendar_edge_judge::contract::Kind;
use http::{HeaderMap, StatusCode};
use serde_json::Value;

use super::super::environment::Environment;
use super::super::file_hashes::account;
use super::super::list_reader::{ListPage, ListReader, WalkedList, drop_json_ld, patiently, trouble};
use super::super::pace::Pace;
use super::super::progress::TerminalProgress;
use super::super::runtime;
use super::super::status::{Status, could_not_run};
use super::super::typed_request::header_lines;
use super::export_args::ExportArgs;
use super::export_files;
use super::export_summary::{ExportSubject, SUMMARY};
use super::former_export::FormerExport;
use super::kept_records::KeptRecords;

/// The most requests for the changes since the one before.
const MOST_LOOKS: u32 = 10;

/// The walk over a site, no faster than a rate, and the records so far.
struct ExportWalk<'s> {
    reader: ListReader<'s>,
    site: DryRun,
    pace: Pace,
    records: KeptRecords,
    /// Records that are named, and not shown to the account.
    withheld: BTreeSet<(Kind, u64)>,
}

/// Exports all records. Statuses: 0 the export is finished, 2 it is not.
pub(crate) fn run(
    args: &ExportArgs,
    environment: Environment<'_>,
    out: &mut dyn Write,
) -> anyhow::Result<Status> {
    let headers = header_lines(&args.header)?;
    let runtime = runtime::single()?;
    let settings = args.site.load(environment)?;
    let settings = runtime.block_on(with_listed_namespace(settings));
    let exported = runtime.block_on(export(args, &settings, headers));
    let Some((records, not_covered)) = could_not_run(exported)? else {
        return Ok(Status::Unusable);
    };
    writeln!(out, "{records} records in {}", args.directory.display())?;
    for unread in not_covered {
        writeln!(out, "not in it: {unread}")?;
    }
    writeln!(out, "`not_shown` in {SUMMARY} has the rest")?;
    Ok(Status::Success)
}

fn subject(settings: &Settings, headers: &HeaderMap) -> ExportSubject {
    let site = settings.origin.url.to_string();
    ExportSubject {
        account: account(&site, headers),
        site,
        public: settings.public_url.as_ref().map(ToString::to_string),
    }
}

async fn export(
    args: &ExportArgs,
    settings: &Settings,
    headers: HeaderMap,
) -> anyhow::Result<(u64, Vec<String>)> {
    let subject = subject(settings, &headers);
    let former = match &args.since {
        Some(directory) => FormerExport::read(directory, &subject)?,
        None => FormerExport::default(),
    };
    let directory = &args.directory;
    let name = directory.display();
    fs::create_dir_all(directory).with_context(|| format!("{name} cannot be made"))?;
    if let Some(file) = export_files::already_in(directory).next() {
        bail!("{} is there: name another directory", file.display());
    }
    let today = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date();
    let site = settings.site();
    let mut walk = ExportWalk {
        site: DryRun::new(site.clone(), &site)?,
        reader: ListReader::new(settings, headers),
        pace: Pace::new(args.rate),
        records: KeptRecords::new(Comparer::new(&settings.compare, today)),
        withheld: BTreeSet::new(),
    };
    let unread = walk.all().await?;
    let namespace = settings.namespaces.first().map_or("", String::as_str);
    let told = (namespace, unread.as_slice());
    let total = export_files::write(directory, walk.records, &subject, told, former)
        .with_context(|| format!("the files in {name} cannot be written"))?;
    Ok((total, unread))
}

// === impl ExportWalk ===

impl ExportWalk<'_> {
    /// Reads everything, and returns what an export cannot have: records that no list shows.
    async fn all(&mut self) -> anyhow::Result<Vec<String>> {
        let before = self.reader.facts(&self.pace).await;
        let shortfalls = self.lists().await?;
        let named = match before {
            Ok(before) => {
                self.complete(before).await?;
                Ok(self.withheld.len())
            }
            Err(reason) => {
                // A reader that takes an export for whole would drop the missing records.
                ensure!(
                    shortfalls.is_empty(),
                    "incomplete, so nothing is written: {}; the companion plugin names each record, or try again when \
                     fewer people write",
                    shortfalls.join("; ")
                );
                Err(format!("{reason:#}"))
            }
        };
        Ok(self.reader.not_covered(&named))
    }

    /// Reads all pages of all lists. Returns those that may lack records.
    async fn lists(&mut self) -> anyhow::Result<Vec<String>> {
        let mut progress = TerminalProgress::new();
        let mut shortfalls = Vec::new();
        for list in self.reader.lists() {
            let mut count = ListCount::default();
            for number in 1.. {
                let page = self.page(list, number).await?;
                self.records.keep_page(list.kind, list.root, &page.records)?;
                page.count_in(&mut count);
                let kept = self.records.kept.len();
                progress.show(|| format!("{list}: page {number} of {}, {kept} records", page.pages));
                if number >= page.pages {
                    break;
                }
            }
            shortfalls.extend(count.shortfall().map(|shortfall| format!("{list}: {shortfall}")));
        }
        progress.end();
        Ok(shortfalls)
    }

    /// Reads what the companion plugin names and no list has shown, and what has changed since `before`, until nothing
    /// is left.
    async fn complete(&mut self, mut before: Arc<FactsSnapshot>) -> anyhow::Result<()> {
        for _ in 0..MOST_LOOKS {
            let now = self.reader.facts(&self.pace).await?;
            let due = self.due(&before, &now);
            if due.is_empty() {
                return Ok(());
            }
            for key in due {
                self.read_again(key).await?;
            }
            before = now;
        }
        bail!(
            "the site changed each of the {MOST_LOOKS} times that it was read: try again when fewer people write"
        )
    }

    /// The records that are to be read. Those that are gone are forgotten.
    fn due(&mut self, before: &FactsSnapshot, now: &FactsSnapshot) -> BTreeSet<(Kind, u64)> {
        let named: BTreeMap<_, _> = now
            .named_records()
            .map(|named| ((named.kind, named.id), self.reader.may_read(&named)))
            .collect();
        self.records.kept.retain(|key, _| named.contains_key(key));
        self.withheld.retain(|key| named.contains_key(key));
        let is_known = |key: &(Kind, u64)| self.records.root(*key).is_some() || self.withheld.contains(key);
        let unread = named.keys().filter(|key| !is_known(key)).copied();
        let due = unread.chain(now.changed_since(before));
        due.filter(|key| named.get(key) == Some(&true)).collect()
    }

    /// Reads a record by its number, below the root that has shown it.
    async fn read_again(&mut self, key: (Kind, u64)) -> anyhow::Result<()> {
        let first = self.reader.lists().first().map_or("", |list| list.root);
        let root = self.records.root(key).unwrap_or(first).to_owned();
        let (kind, id) = key;
        let answer = self.read(&root, &format!("{}/{id}", kind.collection())).await?;
        if answer.status == StatusCode::OK {
            self.withheld.remove(&key);
            let record = as_listed(serde_json::from_slice(&answer.body)?);
            return self.records.keep(kind, &root, &record);
        }
        self.records.kept.remove(&key);
        self.withheld.insert(key);
        Ok(())
    }

    /// Reads a page; a site that fails gets the request again a few times.
    async fn page(&self, list: WalkedList<'_>, number: u64) -> anyhow::Result<ListPage> {
        ListPage::read(list, number, &self.read(list.root, &list.page(number)).await?)
    }

    async fn read(&self, root: &str, path: &str) -> anyhow::Result<DryRunResponse> {
        let call = self.reader.call(root, path)?;
        let call = call.map_err(|reason| anyhow!("{path}: {reason}: see `calendar-edge explain`"))?;
        let ask = || async { Ok(self.site.send(&call).await) };
        let answer = patiently(&self.pace, ask, |answer| trouble(None, answer)).await;
        answer.with_context(|| path.to_owned())
    }
}

/// A record that was read by its number, as a list shows it.
fn as_listed(mut record: Value) -> Value {
    if let Some(members) = record.as_object_mut() {
        members.remove("_links");
    }
    drop_json_ld(&mut record);
    record
}
