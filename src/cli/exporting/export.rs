//! The command: walks all lists until two walks agree, and writes the files.

use std::fs;
use std::io::Write;

use anyhow::{Context as _, bail, ensure};
use calendar_edge::app::{DryRun, DryRunResponse};
use calendar_edge::backend::with_listed_namespace;
use calendar_edge_core::migration::comparison::Comparer;
use calendar_edge_core::settings::Settings;
use http::{HeaderMap, StatusCode};

use super::super::call_judge::Judged;
use super::super::environment::Environment;
use super::super::file_hashes::account;
use super::super::list_reader::{
    ListPage, ListReader, ListSource, MOST_PASSES, WalkedList, patiently, trouble,
};
use super::super::pace::Pace;
use super::super::progress::TerminalProgress;
use super::super::runtime;
use super::super::status::{Status, could_not_run};
use super::super::typed_request::header_lines;
use super::super::unlisted::Uncovered;
use super::export_args::ExportArgs;
use super::export_files;
use super::export_summary::SUMMARY;
use super::former_export::FormerExport;
use super::kept_records::{KeptRecords, PART, WalkSubject, id_of};

/// The site, asked no faster than a rate.
struct PacedSite<'s> {
    reader: ListReader<'s>,
    site: DryRun,
    pace: Pace,
}

/// Exports all records. Statuses: 0 the export is finished, 2 it is not; the same command continues it.
pub(crate) fn run(
    args: &ExportArgs,
    environment: Environment<'_>,
    out: &mut dyn Write,
) -> anyhow::Result<Status> {
    let headers = header_lines(&args.header)?;
    let runtime = runtime::single()?;
    let settings = args.site.load(environment)?;
    let settings = runtime.block_on(with_listed_namespace(settings));
    let exported = async {
        let site = settings.site();
        let subject = subject(&settings, &headers);
        let site = PacedSite {
            site: DryRun::new(site.clone(), &site)?,
            reader: ListReader::new(&settings, headers),
            pace: Pace::new(args.rate),
        };
        export(args, &settings, &subject, &site).await
    };
    let Some((records, unread)) = could_not_run(runtime.block_on(exported))? else {
        return Ok(Status::Unusable);
    };
    writeln!(out, "{records} records in {}", args.directory.display())?;
    for unread in unread {
        writeln!(out, "not in it: {unread}")?;
    }
    writeln!(out, "`not_shown` in {SUMMARY} has the rest")?;
    Ok(Status::Success)
}

fn subject(settings: &Settings, headers: &HeaderMap) -> WalkSubject {
    let site = settings.origin.url.to_string();
    WalkSubject {
        account: account(&site, headers),
        site,
        public: settings.public_url.as_ref().map(ToString::to_string),
    }
}

async fn export(
    args: &ExportArgs,
    settings: &Settings,
    subject: &WalkSubject,
    site: &PacedSite<'_>,
) -> anyhow::Result<(u64, Vec<String>)> {
    let former = match &args.since {
        Some(directory) => FormerExport::read(directory, subject)?,
        None => FormerExport::default(),
    };
    let directory = &args.directory;
    let name = directory.display();
    ensure!(!directory.join(SUMMARY).exists(), "{name} has a finished export");
    fs::create_dir_all(directory).with_context(|| format!("{name} cannot be made"))?;
    if !directory.join(PART).exists()
        && let Some(file) = export_files::already_in(directory).next()
    {
        bail!(
            "{} is of no unfinished export: name another directory",
            file.display()
        );
    }
    let today = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date();
    let comparer = Comparer::new(&settings.compare, today);
    let mut records = KeptRecords::open(directory, subject, comparer)?;
    let uncovered = passes(&mut records, site).await?;
    let unread = uncovered.said();
    let namespace = settings.namespaces.first().map_or("", String::as_str);
    let total = export_files::write(directory, &mut records, subject, (namespace, &unread), former)
        .with_context(|| format!("the files in {name} cannot be written"))?;
    fs::remove_file(directory.join(PART))?;
    Ok((total, unread))
}

/// Walks until a walk finds what the one before found: then no change between the two was missed.
async fn passes(records: &mut KeptRecords, site: &PacedSite<'_>) -> anyhow::Result<Uncovered> {
    let mut progress = TerminalProgress::new();
    for _ in 0..MOST_PASSES {
        pass(records, site, &mut progress).await?;
        let uncovered = records.place().uncovered.clone();
        let is_same = records.end_pass()?;
        if is_same && records.place().passes > 1 {
            return Ok(uncovered);
        }
    }
    let paths: Vec<&str> = records.changing().collect();
    let (places, hint) = if paths.is_empty() {
        (String::new(), "")
    } else {
        let hint = ", or leave out what each read changes with [[compare.ignore]]";
        (format!(", in the last one at {}", paths.join(", ")), hint)
    };
    bail!(
        "the site changed during each of {MOST_PASSES} walks over its lists{places}: try again when fewer people write{hint}"
    )
}

/// One walk over all lists, from the place that was reached.
async fn pass(
    records: &mut KeptRecords,
    site: &PacedSite<'_>,
    progress: &mut TerminalProgress,
) -> anyhow::Result<()> {
    let walk = records.place().passes + 1;
    records.begin_pass();
    for list in site.reader.lists(false).into_iter().skip(records.place().lists) {
        loop {
            let number = records.place().pages + 1;
            let page = match list.source {
                ListSource::WordPress => site.unlisted(list, number, records).await?,
                ListSource::Calendar | ListSource::Trash => site.page(list, number).await?,
            };
            let is_last = number >= page.pages;
            progress.show(|| {
                let kept = records.len();
                let (root, name) = (list.root, list.kind.collection());
                format!(
                    "walk {walk}, {root} {name}: page {number} of {}, {kept} records",
                    page.pages
                )
            });
            records.add_page(list.kind, list.root, page.records)?;
            if is_last {
                break;
            }
        }
        records.end_list();
    }
    progress.end();
    Ok(())
}

// === impl PacedSite ===

impl PacedSite<'_> {
    /// Reads a page; a site that fails is asked again a few times.
    async fn page(&self, list: WalkedList<'_>, number: u64) -> anyhow::Result<ListPage> {
        ListPage::read(list, number, &self.read(list, &list.page(number)).await?)
    }

    /// Reads the events of a page of WordPress that no list of the calendar has shown.
    async fn unlisted(
        &self,
        list: WalkedList<'_>,
        number: u64,
        records: &mut KeptRecords,
    ) -> anyhow::Result<ListPage> {
        let found = self.reader.numbers(&self.pace, list, number).await;
        let mut page = found.clone().unwrap_or_default();
        for item in std::mem::take(&mut page.records) {
            let id = id_of(&item)?;
            if records.has_seen(list.kind, id) {
                continue;
            }
            let answer = self.read(list, &format!("events/{id}")).await?;
            match answer.status {
                StatusCode::OK => page.records.push(serde_json::from_slice(&answer.body)?),
                _ => page.withheld += 1,
            }
        }
        records.note_uncovered(found.map(|_| &page));
        Ok(page)
    }

    async fn read(&self, list: WalkedList<'_>, path: &str) -> anyhow::Result<DryRunResponse> {
        let Judged::Call(call) = self.reader.call(list.root, path)? else {
            bail!("the edge does not send {path} to the site: see `calendar-edge explain`");
        };
        let ask = || async { Ok(self.site.answer(&call).await) };
        let answer = patiently(&self.pace, ask, |answer| trouble(None, answer)).await;
        answer.with_context(|| path.to_owned())
    }
}
