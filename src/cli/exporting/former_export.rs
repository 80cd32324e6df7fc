//! The manifest of a former export, beside which a new one shows what changed.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use anyhow::{Context as _, ensure};

use super::entry::{EntryState, ManifestEntry};
use super::export_summary::{ENTRIES, ExportSubject, ExportSummary, FORMAT, SUMMARY};

/// The entries of a former export, by kind and number.
#[derive(Debug, Default)]
pub(super) struct FormerExport {
    /// When it was finished; empty without one.
    pub(super) made: Option<String>,
    entries: BTreeMap<(String, u64), ManifestEntry>,
}

// === impl FormerExport ===

impl FormerExport {
    /// Reads the export in a directory.
    ///
    /// # Errors
    ///
    /// When there is no whole one, or it has another subject: records that another account may not read would look
    /// gone.
    pub(super) fn read(directory: &Path, subject: &ExportSubject) -> anyhow::Result<Self> {
        let name = directory.display();
        let text = std::fs::read(directory.join(SUMMARY));
        let text = text.with_context(|| format!("{name} has no finished export"))?;
        let summary: ExportSummary = serde_json::from_slice(&text).context(SUMMARY)?;
        ensure!(summary.format == FORMAT, "{name} has an export of another format");
        ensure!(
            summary.subject == *subject,
            "{name} has an export of another site, public_url or account"
        );
        let told: u64 = summary.records.values().flat_map(BTreeMap::values).sum();
        let lines = BufReader::new(File::open(directory.join(ENTRIES))?).lines();
        let (mut entries, mut found) = (BTreeMap::new(), 0);
        for line in lines {
            found += 1;
            let entry: ManifestEntry = serde_json::from_str(&line?).context(ENTRIES)?;
            if entry.state != EntryState::Gone {
                entries.insert((entry.kind.clone(), entry.id), entry);
            }
        }
        ensure!(found == told, "{name}: {ENTRIES} has {found} of {told} entries");
        Ok(Self {
            made: Some(summary.made),
            entries,
        })
    }

    /// Takes an entry out, and returns the difference of a record of today.
    pub(super) fn state(&mut self, today: &ManifestEntry) -> EntryState {
        match self.entries.remove(&(today.kind.clone(), today.id)) {
            None => EntryState::New,
            Some(former) if former.hash == today.hash => EntryState::Unchanged,
            Some(_) => EntryState::Changed,
        }
    }

    /// The entries that were not taken out: their records are gone.
    pub(super) fn gone(self) -> impl Iterator<Item = ManifestEntry> {
        self.entries.into_values().map(|entry| ManifestEntry {
            state: EntryState::Gone,
            ..entry
        })
    }
}
