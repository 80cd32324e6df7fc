//! Records that were not compared, by the reason.

use std::collections::BTreeMap;

use serde::Serialize;

/// The number of skipped records by reason.
#[derive(Debug, Default, Serialize)]
#[serde(transparent)]
pub(super) struct Skipped {
    counts: BTreeMap<&'static str, u64>,
}

// === impl Skipped ===

impl Skipped {
    pub(super) fn add(&mut self, reason: &'static str) {
        *self.counts.entry(reason).or_default() += 1;
    }

    pub(super) fn total(&self) -> u64 {
        self.counts.values().sum()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.counts.iter().map(|(reason, count)| (*reason, *count))
    }
}
