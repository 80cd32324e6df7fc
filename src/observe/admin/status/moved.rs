//! Calls that other backends answer, and copies of calls.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use crate::migration::Migration;
use crate::telemetry::NamedSums;
use calendar_edge_core::migration::cutover::Returned;

/// A rule of `[[cutover]]`.
#[derive(Debug, Serialize)]
pub(super) struct MovedStatus {
    name: String,
    backend: String,
    share_percent: f64,
    returned: Option<Returned>,
    calls: BTreeMap<&'static str, u64>,
}

/// The copies for one backend.
#[derive(Debug, Serialize)]
pub(super) struct CopyStatus {
    backend: String,
    compared: BTreeMap<&'static str, u64>,
    skipped: BTreeMap<&'static str, u64>,
}

// === impl MovedStatus ===

impl MovedStatus {
    /// The rules in use, in their order.
    pub(super) fn all(migration: &Migration) -> Vec<Self> {
        let answers = migration.metrics().answers();
        let rules = migration.rule_summaries().into_iter();
        let status = rules.map(|rule| Self {
            calls: of(&answers, &rule.name),
            name: rule.name,
            backend: rule.backend,
            share_percent: f64::from(rule.share.millionths()) / 10_000.0,
            returned: rule.returned,
        });
        status.collect()
    }
}

// === impl CopyStatus ===

impl CopyStatus {
    /// The backends that got copies, or should have.
    pub(super) fn all(migration: &Migration) -> Vec<Self> {
        let (compared, skipped) = migration.metrics().copies();
        let mut backends: Vec<&Arc<str>> = compared
            .iter()
            .chain(&skipped)
            .map(|((name, _), _)| name)
            .collect();
        backends.sort();
        backends.dedup();
        let status = backends.into_iter().map(|backend| Self {
            backend: backend.to_string(),
            compared: of(&compared, backend),
            skipped: of(&skipped, backend),
        });
        status.collect()
    }
}

/// The counts of one name.
fn of(sums: &NamedSums, name: &str) -> BTreeMap<&'static str, u64> {
    let own = sums.iter().filter(|((known, _), _)| &**known == name);
    own.map(|((_, word), count)| (*word, *count)).collect()
}
