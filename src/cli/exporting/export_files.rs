//! The files of a finished export (docs/reference/candidate.md).

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use calendar_edge_judge::contract::Kind;

use super::entry::{EntryState, ManifestEntry};
use super::export_summary::{ENTRIES, ExportSubject, ExportSummary, FORMAT, SUMMARY};
use super::former_export::FormerExport;
use super::kept_records::KeptRecords;

/// The files that an export would overwrite in a directory: those of a kind and the manifest's.
pub(super) fn already_in(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let kinds = Kind::ALL.map(file_of);
    let names = kinds.into_iter().chain([ENTRIES.to_owned(), SUMMARY.to_owned()]);
    names
        .map(|name| directory.join(name))
        .filter(|file| file.exists())
}

fn file_of(kind: Kind) -> String {
    format!("{}.ndjson", kind.collection())
}

/// Members that the lists of the calendar do not show.
const NOT_SHOWN: [&str; 8] = [
    "texts as they were typed: descriptions and excerpts are rendered HTML, without blocks, shortcodes and the text behind \
     a password",
    "custom fields, and settings of other plugins: tickets, RSVPs, recurrence rules, SEO",
    "passwords of protected events",
    "revisions, autosaves and the trash",
    "image files: the manifest has their addresses; images inside of texts are not listed",
    "accounts: `author` is a number",
    "links between translations",
    "the order in which organizers were typed, where the site does not keep it",
];

/// An export before it has its name.
struct ExportFiles {
    directory: PathBuf,
    kinds: Vec<BufWriter<File>>,
    entries: BufWriter<File>,
    counts: BTreeMap<String, BTreeMap<EntryState, u64>>,
}

/// Writes the files of a finished walk, of which `unread` was not read. The summary comes last: a directory with one
/// holds a whole export.
pub(super) fn write(
    directory: &Path,
    records: KeptRecords,
    subject: &ExportSubject,
    (namespace, unread): (&str, &[String]),
    mut former: FormerExport,
) -> anyhow::Result<u64> {
    let since = former.made.clone();
    let mut files = ExportFiles::new(directory)?;
    for (mut entry, record) in records.kept.into_values() {
        entry.state = former.state(&entry);
        files.add(&entry, &record)?;
    }
    for entry in former.gone() {
        files.add(&entry, "")?;
    }
    let summary = ExportSummary {
        format: FORMAT,
        made: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        subject: subject.clone(),
        namespace: namespace.to_owned(),
        since,
        records: files.counts.clone(),
        not_shown: [unread, &NOT_SHOWN.map(str::to_owned)].concat(),
    };
    let total = files.counts.values().flat_map(BTreeMap::values).sum();
    files.finish(&serde_json::to_vec_pretty(&summary)?)?;
    Ok(total)
}

// === impl ExportFiles ===

impl ExportFiles {
    fn new(directory: &Path) -> anyhow::Result<Self> {
        let files = Kind::ALL.map(|kind| private(&directory.join(file_of(kind))));
        let kinds = files.into_iter().collect::<std::io::Result<_>>()?;
        Ok(Self {
            kinds,
            entries: private(&directory.join(ENTRIES))?,
            directory: directory.to_owned(),
            counts: BTreeMap::new(),
        })
    }

    /// Adds a record with its JSON; one that has not changed, or is gone, stands in the manifest only.
    fn add(&mut self, entry: &ManifestEntry, record: &str) -> anyhow::Result<()> {
        let (kind, file) = Kind::ALL
            .iter()
            .zip(&mut self.kinds)
            .find(|(kind, _)| kind.singular() == entry.kind)
            .with_context(|| format!("there is no kind {}", entry.kind))?;
        let counts = self.counts.entry(kind.collection().to_owned()).or_default();
        *counts.entry(entry.state).or_default() += 1;
        serde_json::to_writer(&mut self.entries, entry)?;
        self.entries.write_all(b"\n")?;
        if matches!(entry.state, EntryState::New | EntryState::Changed) {
            writeln!(file, "{record}")?;
        }
        Ok(())
    }

    fn finish(self, summary: &[u8]) -> anyhow::Result<()> {
        for file in self.kinds.into_iter().chain([self.entries]) {
            file.into_inner()?.sync_all()?;
        }
        let aside = self.directory.join("manifest.json.new");
        let mut file = private(&aside)?;
        file.write_all(summary)?;
        file.write_all(b"\n")?;
        file.into_inner()?.sync_all()?;
        fs::rename(aside, self.directory.join(SUMMARY))?;
        Ok(())
    }
}

/// A new file that only this user can read: drafts are in it. Another export into the same directory fails here.
fn private(path: &Path) -> std::io::Result<BufWriter<File>> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    Ok(BufWriter::new(options.open(path)?))
}
