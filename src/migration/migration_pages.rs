//! Rules, guards and differences, as the admin listener shows them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};
use tokio::time::timeout;

use calendar_edge_core::migration::OUTBOX;
use calendar_edge_core::migration::comparison::DifferenceClass;

use super::state::Migration;
use crate::backend::read_beside;
use crate::telemetry::NamedSums;

/// The longest time in which a candidate may show its outbox.
const PATIENCE: Duration = Duration::from_secs(2);

impl Migration {
    /// The page `/migration`: rules and verdicts, and with `outbox=1` the outboxes of candidates.
    pub(crate) async fn overview(&self, query: Option<&str>) -> Value {
        let mut page = self.to_json();
        let asked = if query == Some("outbox=1") {
            self.candidates()
        } else {
            Vec::new()
        };
        for backend in asked {
            let asked = timeout(PATIENCE, read_beside(&backend, OUTBOX)).await;
            if let Ok(Ok(Some(outbox))) = asked
                && let Some(report) = page.pointer_mut(&format!("/backends/{}", backend.name))
                && let Some(report) = report.as_object_mut()
            {
                report.insert("outbox".to_owned(), outbox);
            }
        }
        page
    }

    /// The page of a path: `/migration/report` with the name of a backend behind a slash, which may be absent if there
    /// is only one.
    pub(crate) fn page(&self, path: &str, query: Option<&str>) -> Option<Bytes> {
        let rest = path.strip_prefix("/migration/report")?;
        let backend = rest.strip_prefix('/');
        if backend.is_none() && !rest.is_empty() {
            return None;
        }
        let class = query.and_then(|query| query.strip_prefix("accept="));
        let accepted = class.and_then(|class| class.parse().ok());
        let accepted = accepted.unwrap_or(DifferenceClass::Representation);
        let report = self.report(backend, accepted)?;
        Some(Bytes::from(report.to_string()))
    }

    /// The rules in use, in their order.
    pub(super) fn moved(&self) -> Vec<Value> {
        let answers = self.metrics().served_by();
        let rules = self.rule_states();
        let status = rules.iter().map(|rule| rule.status(&of(&answers, &rule.name)));
        status.collect()
    }

    /// The backends that got copies, or should have.
    pub(super) fn copied(&self) -> Vec<Value> {
        let (compared, skipped) = self.metrics().copies();
        let mut backends: Vec<&Arc<str>> = compared
            .iter()
            .chain(&skipped)
            .map(|((name, _), _)| name)
            .collect();
        backends.sort();
        backends.dedup();
        let status = backends.into_iter().map(|backend| {
            json!({
                "backend": **backend,
                "compared": of(&compared, backend),
                "skipped": of(&skipped, backend),
            })
        });
        status.collect()
    }
}

/// The counts of one name.
fn of(sums: &NamedSums, name: &str) -> BTreeMap<&'static str, u64> {
    let own = sums.iter().filter(|((known, _), _)| &**known == name);
    own.map(|((_, word), count)| (*word, *count)).collect()
}
