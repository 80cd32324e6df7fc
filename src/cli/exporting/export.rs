//! The command: walks all lists until two walks agree, and writes the files.

use std::fs;
use std::io::Write;
use std::num::NonZeroU32;
use std::path::Path;

use anyhow::{Context as _, ensure};
use calendar_edge::backend::with_listed_namespace;
use calendar_edge_core::settings::Settings;

use super::super::environment::Environment;
use super::super::explain::header_lines;
use super::super::pace;
use super::super::progress::TerminalProgress;
use super::super::runtime;
use super::super::status::{Status, could_not_run};
use super::export_args::ExportArgs;
use super::export_files::{self, SUMMARY};
use super::former_export::FormerExport;
use super::kept_records::{KeptRecords, SeenRecords, WalkSubject};
use super::list_reader::ListReader;

/// The walks of one run; a site that changes faster is told so.
const MOST_PASSES: u32 = 10;

/// The records until the export is finished.
const PART: &str = "walk.part";

/// Requests a second, unless typed.
const RATE: NonZeroU32 = NonZeroU32::new(10).expect("not zero");

/// Exports all records. Statuses: 0 the export is finished, 2 it is not; the same command continues it.
pub(crate) fn run(
    args: &ExportArgs,
    environment: Environment<'_>,
    out: &mut dyn Write,
) -> anyhow::Result<Status> {
    let headers = header_lines(&args.header)?;
    let rate = pace::rate(args.rate.as_deref(), RATE)?;
    let runtime = runtime::single()?;
    let settings = args.site.load(environment)?;
    let settings = runtime.block_on(with_listed_namespace(settings));
    let exported = async {
        let walk = ListReader::new(&settings, headers, rate)?;
        export(args, &settings, walk).await
    };
    let Some(records) = could_not_run(runtime.block_on(exported))? else {
        return Ok(Status::Unusable);
    };
    writeln!(out, "{records} records in {}", args.directory.display())?;
    Ok(Status::Success)
}

async fn export(args: &ExportArgs, settings: &Settings, mut walk: ListReader<'_>) -> anyhow::Result<u64> {
    let former = match &args.since {
        Some(directory) => FormerExport::read(directory)?,
        None => FormerExport::default(),
    };
    let directory = &args.directory;
    let name = directory.display();
    ensure!(!directory.join(SUMMARY).exists(), "{name} has a finished export");
    fs::create_dir_all(directory).with_context(|| format!("{name} cannot be made"))?;
    let subject = WalkSubject {
        site: settings.origin.url.to_string(),
        public: settings.public_url.as_ref().map(ToString::to_string),
        with_credentials: !args.header.is_empty(),
    };
    let part = directory.join(PART);
    let mut records = passes(&part, &subject, &mut walk).await?;
    let namespace = settings.namespaces.first().map_or("", String::as_str);
    let total = export_files::write(directory, &mut records, &subject, namespace, former)?;
    fs::remove_file(part)?;
    Ok(total)
}

/// Walks until a walk finds what the one before found: then no change between the two was missed.
async fn passes(
    part: &Path,
    subject: &WalkSubject,
    walk: &mut ListReader<'_>,
) -> anyhow::Result<KeptRecords> {
    let (mut records, mut seen) = KeptRecords::open(part, subject)?;
    let mut progress = TerminalProgress::new();
    for _ in 0..MOST_PASSES {
        pass(&mut records, &mut seen, walk, &mut progress).await?;
        let is_same = records.end_pass(&mut seen)?;
        if is_same && records.place().passes > 1 {
            return Ok(records);
        }
    }
    anyhow::bail!(
        "the site changed during each of {MOST_PASSES} walks over its lists: try again when fewer people write"
    )
}

/// One walk over all lists, from the place that was reached.
async fn pass(
    records: &mut KeptRecords,
    seen: &mut SeenRecords,
    walk: &mut ListReader<'_>,
    progress: &mut TerminalProgress,
) -> anyhow::Result<()> {
    let number = records.place().passes + 1;
    for list in walk.lists().into_iter().skip(records.place().lists) {
        loop {
            let page = records.place().pages + 1;
            let read = walk.page(list, page).await?;
            let is_last = read.records.is_empty() || page >= read.pages;
            progress.show(|| {
                let kept = records.len();
                let (root, name) = (list.root, list.kind.collection());
                format!(
                    "walk {number}, {root} {name}: page {page} of {}, {kept} records",
                    read.pages
                )
            });
            records.add_page(list.kind, list.root, read.records, seen)?;
            if is_last {
                break;
            }
        }
        records.end_list();
    }
    progress.end();
    Ok(())
}
