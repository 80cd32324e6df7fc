//! The records of an export until it is written, in memory.

use std::collections::BTreeMap;

use anyhow::Context as _;
use calendar_edge_core::migration::comparison::Comparer;
use calendar_edge_judge::contract::{Kind, table};
use serde_json::{Value, json};

use super::super::file_hashes::record_hash;
use super::entry::ManifestEntry;

/// The records so far: as large as the files of the export.
#[derive(Debug)]
pub(super) struct KeptRecords {
    /// Each as new in the manifest, with its JSON.
    pub(super) kept: BTreeMap<(Kind, u64), (ManifestEntry, String)>,
    comparer: Comparer,
}

// === impl KeptRecords ===

impl KeptRecords {
    /// No records. A member that the comparer ignores is no change of a record.
    pub(super) const fn new(comparer: Comparer) -> Self {
        Self {
            kept: BTreeMap::new(),
            comparer,
        }
    }

    /// The root that has shown a record; none if it is not kept.
    pub(super) fn root(&self, key: (Kind, u64)) -> Option<&str> {
        self.kept.get(&key).map(|(entry, _)| entry.root.as_str())
    }

    /// Keeps a record in place of what was read before.
    pub(super) fn keep(&mut self, kind: Kind, root: &str, record: &Value) -> anyhow::Result<()> {
        let id = record["id"].as_u64().context("a record without a number")?;
        let entry = ManifestEntry::of((kind, id), root, &self.hash(kind, record)?, record);
        self.kept.insert((kind, id), (entry, record.to_string()));
        Ok(())
    }

    /// Keeps a page of a list. Below several roots the first one that shows a record counts.
    pub(super) fn keep_page(&mut self, kind: Kind, root: &str, records: &[Value]) -> anyhow::Result<()> {
        for record in records {
            let shown = record["id"].as_u64().and_then(|id| self.root((kind, id)));
            if shown.is_none_or(|shown| shown == root) {
                self.keep(kind, root, record)?;
            }
        }
        Ok(())
    }

    /// The hash of a record, without what is ignored.
    fn hash(&self, kind: Kind, record: &Value) -> anyhow::Result<String> {
        let collection = kind.collection();
        let list = table().named(&format!("{collection}.list"));
        let mut document = json!({ (collection): [record] });
        self.comparer
            .drop_ignored(list.map(|operation| operation.id), &mut document);
        let records = document.get(collection).and_then(Value::as_array);
        let record = records.and_then(|records| records.first());
        Ok(record_hash(record.context("a list without its record")?))
    }
}
