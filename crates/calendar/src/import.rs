//! The import of an export that `calendar-edge export` wrote.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, ensure};
use calendar_edge_judge::contract::Kind;
use serde_json::Value;

use crate::follow::replaced;
use crate::printed_record::of_printed;
use crate::store::{Change, Store};

/// The version of the format that is read.
const FORMAT: u64 = 1;

/// Imports a finished export, whole or not at all, and returns the number of records. One that was made with `--since`
/// changes the records of the export before it; any other takes the place of all records.
///
/// # Errors
/// When the export is not finished or has another format, or the records cannot be kept.
pub fn import(store: &mut Store, directory: &Path) -> anyhow::Result<usize> {
    let manifest = fs::read(directory.join("manifest.json")).context("no finished export")?;
    let manifest: Value = serde_json::from_slice(&manifest)?;
    ensure!(
        manifest["format"] == FORMAT,
        "the export has another format than {FORMAT}"
    );
    let is_part = !manifest["since"].is_null();
    let (mut changes, mut inside, mut count) = (Vec::new(), Vec::new(), 0);
    for kind in Kind::ALL {
        let (records, others): (Vec<_>, Vec<_>) = records(directory, kind)?
            .into_iter()
            .partition(|change| change.kind == kind);
        inside.extend(others);
        count += records.len();
        changes.extend(if is_part {
            records
        } else {
            replaced(store, kind, records)
        });
    }
    if is_part {
        changes.extend(gone(directory)?);
    }
    changes.extend(inside);
    store.take(changes, store.moment())?;
    Ok(count)
}

fn records(directory: &Path, kind: Kind) -> anyhow::Result<Vec<Change>> {
    let file = directory.join(format!("{}.ndjson", kind.collection()));
    let records = lines(&file)?.into_iter().map(|line| {
        let record = of_printed(kind, line);
        record.with_context(|| format!("{} has what is no record", file.display()))
    });
    Ok(records
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .flatten()
        .collect())
}

/// The records that are gone since the export before.
fn gone(directory: &Path) -> anyhow::Result<Vec<Change>> {
    let entries = lines(&directory.join("manifest.ndjson"))?;
    let gone = entries.iter().filter(|entry| entry["state"] == "gone");
    let gone = gone.filter_map(|entry| {
        let kind = Kind::ALL
            .into_iter()
            .find(|kind| entry["kind"] == kind.singular());
        Some(Change::removal(kind?, entry["id"].as_u64()?))
    });
    Ok(gone.collect())
}

fn lines(file: &Path) -> anyhow::Result<Vec<Value>> {
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let lines = text.lines().map(serde_json::from_str);
    lines
        .collect::<Result<_, _>>()
        .with_context(|| file.display().to_string())
}
