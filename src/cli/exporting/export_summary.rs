//! The summary of an export: its subject and its size.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::entry::EntryState;

/// The number of the format.
pub(super) const FORMAT: u32 = 1;

/// The subject of the export, and its size.
pub(super) const SUMMARY: &str = "manifest.json";

/// A line for each record.
pub(super) const ENTRIES: &str = "manifest.ndjson";

/// The summary of an export.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ExportSummary {
    pub(super) format: u32,
    pub(super) made: String,
    #[serde(flatten)]
    pub(super) subject: ExportSubject,
    pub(super) namespace: String,
    /// The time of the former export, whose changes these are.
    pub(super) since: Option<String>,
    /// The number of entries, by kind and by state.
    pub(super) records: BTreeMap<String, BTreeMap<EntryState, u64>>,
    pub(super) not_shown: Vec<String>,
}

/// The subject that two exports must share to be compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ExportSubject {
    pub(super) site: String,
    pub(super) public: Option<String>,
    /// A name of the account; none: public records.
    pub(super) account: Option<String>,
}
