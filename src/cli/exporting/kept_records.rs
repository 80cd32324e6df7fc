//! The records of an export until it is written, in memory.

use std::collections::BTreeMap;

use anyhow::Context as _;
use calendar_edge_core::migration::comparison::Comparer;
use calendar_edge_judge::contract::{Kind, table};
use serde_json::{Value, json};

use super::entry;

/// The records so far: as large as the files of the export.
#[derive(Debug)]
pub(super) struct KeptRecords {
    records: BTreeMap<(Kind, u64), KeptRecord>,
    comparer: Comparer,
}

#[derive(Debug)]
struct KeptRecord {
    /// The path of the REST root that shows it.
    root: String,
    hash: String,
    /// Its JSON.
    text: String,
}

// === impl KeptRecords ===

impl KeptRecords {
    /// No records. A member that the comparer ignores is no change of a record.
    pub(super) const fn new(comparer: Comparer) -> Self {
        Self {
            records: BTreeMap::new(),
            comparer,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    /// The root that has shown a record; none if it is not kept.
    pub(super) fn root(&self, key: (Kind, u64)) -> Option<&str> {
        self.records.get(&key).map(|kept| kept.root.as_str())
    }

    /// Keeps a record in place of what was read before.
    pub(super) fn keep(&mut self, kind: Kind, root: &str, record: &Value) -> anyhow::Result<()> {
        let id = record["id"].as_u64().context("a record without a number")?;
        let kept = KeptRecord {
            root: root.to_owned(),
            hash: self.hash(kind, record)?,
            text: record.to_string(),
        };
        self.records.insert((kind, id), kept);
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

    /// Forgets all but these.
    pub(super) fn retain(&mut self, is_there: impl Fn((Kind, u64)) -> bool) {
        self.records.retain(|key, _| is_there(*key));
    }

    pub(super) fn forget(&mut self, key: (Kind, u64)) {
        self.records.remove(&key);
    }

    /// All records in the order of kinds and numbers, each with its root and its hash.
    pub(super) fn for_each(
        &self,
        mut take: impl FnMut((Kind, u64), &str, &str, Value) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        for (key, kept) in &self.records {
            take(*key, &kept.root, &kept.hash, serde_json::from_str(&kept.text)?)?;
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
        Ok(entry::hash(record.context("a list without its record")?))
    }
}
