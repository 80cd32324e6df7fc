//! The import of an export that `calendar-edge export` wrote.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, ensure};
use serde_json::Value;

use crate::follow::replace;
use crate::records::{Event, Organizer, Record, Term, Venue};
use crate::store::{Store, put, put_terms, remove, select};

/// The version of the format that is read.
const FORMAT: u64 = 1;

/// Imports a finished export, whole or not at all, and says how many records were read. One that was made with
/// `--since` changes the records of the export before it; any other takes the place of all records.
///
/// # Errors
/// When the export is not finished or has another format, a record has a member without a column, or the database
/// fails.
pub fn import(store: &Store, directory: &Path) -> anyhow::Result<usize> {
    let export = Export::open(directory)?;
    let events = export.records::<Event>("events")?;
    let venues = export.records::<Venue>("venues")?;
    let organizers = export.records::<Organizer>("organizers")?;
    let count = events.len() + venues.len() + organizers.len();
    store.change(|transaction| -> anyhow::Result<usize> {
        export.store(transaction, &events)?;
        export.store(transaction, &venues)?;
        export.store(transaction, &organizers)?;
        let categories = export.store_terms(transaction, "categories", ("category", "tribe_events_cat"))?;
        let tags = export.store_terms(transaction, "tags", ("tag", "post_tag"))?;
        Ok(count + categories + tags)
    })
}

struct Export<'a> {
    directory: &'a Path,
    /// Whether it has only what changed since another one.
    is_part: bool,
    /// Kind and number of the records that are gone since then.
    gone: Vec<(String, u64)>,
}

// === impl Export ===

impl<'a> Export<'a> {
    fn open(directory: &'a Path) -> anyhow::Result<Self> {
        let manifest = fs::read(directory.join("manifest.json")).context("no finished export")?;
        let manifest: Value = serde_json::from_slice(&manifest)?;
        ensure!(
            manifest["format"] == FORMAT,
            "the export has another format than {FORMAT}"
        );
        let entries = lines(&directory.join("manifest.ndjson"))?;
        let gone = entries.iter().filter(|entry| entry["state"] == "gone");
        let gone = gone.filter_map(|entry| Some((entry["kind"].as_str()?.to_owned(), entry["id"].as_u64()?)));
        let gone = gone.collect();
        Ok(Self {
            directory,
            is_part: !manifest["since"].is_null(),
            gone,
        })
    }

    fn records<R: Record>(&self, kind: &str) -> anyhow::Result<Vec<R>> {
        let printed = lines(&self.directory.join(format!("{kind}.ndjson")))?;
        printed.into_iter().map(R::of_printed).collect()
    }

    fn store<R: Record>(&self, transaction: &rusqlite::Transaction<'_>, records: &[R]) -> anyhow::Result<()> {
        if !self.is_part {
            return Ok(replace(transaction, records)?);
        }
        for (_, id) in self.gone.iter().filter(|(kind, _)| kind == R::TABLE) {
            remove::<R>(transaction, *id)?;
        }
        Ok(records.iter().try_for_each(|record| put(transaction, record))?)
    }

    /// The terms of a taxonomy, old and new. An export is in the order of numbers, so they are sorted by name.
    fn store_terms(
        &self,
        transaction: &rusqlite::Transaction<'_>,
        list: &str,
        (kind, taxonomy): (&str, &str),
    ) -> anyhow::Result<usize> {
        let mut terms: Vec<Term> = self.records(list)?;
        let count = terms.len();
        if self.is_part {
            let known: Vec<Term> = select(transaction, "WHERE taxonomy = ?", [taxonomy])?;
            let is_gone = |id: u64| self.gone.contains(&(kind.to_owned(), id));
            let kept = known.into_iter().filter(|known| !is_gone(known.id));
            let kept: Vec<Term> = kept
                .filter(|known| !terms.iter().any(|term| term.id == known.id))
                .collect();
            terms.extend(kept);
        }
        terms.sort_by_key(|term| term.name.to_lowercase());
        put_terms(transaction, taxonomy, terms)?;
        Ok(count)
    }
}

fn lines(file: &Path) -> anyhow::Result<Vec<Value>> {
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let lines = text.lines().map(serde_json::from_str);
    lines
        .collect::<Result<_, _>>()
        .with_context(|| file.display().to_string())
}
