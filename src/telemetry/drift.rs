//! How far what backends publish is from the table.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};

use super::wall_clock::{moment, unix_time};
use calendar_edge_core::unix_time::UnixTime;
use calendar_edge_judge::contract::drift::Drift;

/// The most differences that are told in words.
const MOST_TOLD: usize = 8;

/// The differences of all backends; clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct BackendDrifts(Arc<Mutex<BTreeMap<String, BackendDrift>>>);

/// The differences of one backend.
#[derive(Debug, Default)]
struct BackendDrift {
    /// When its index was last compared; none: it was not read yet.
    compared: Option<UnixTime>,
    /// By the REST root that publishes the index.
    roots: BTreeMap<String, Vec<Drift>>,
}

/// The effect of a comparison on what is known about a backend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DriftChange {
    /// The differences of the backend are those that were known.
    None,
    /// These are the first that were found below the root.
    First(Vec<Drift>),
    /// These are others than before.
    Other(Vec<Drift>),
}

// === impl BackendDrifts ===

impl BackendDrifts {
    /// Takes the backends of new settings; what is known of those that stay is kept.
    pub(crate) fn expect(&self, backends: impl IntoIterator<Item = String>) {
        let backends: BTreeSet<String> = backends.into_iter().collect();
        let mut known = self.0.lock();
        known.retain(|name, _| backends.contains(name));
        for backend in backends {
            known.entry(backend).or_default();
        }
    }

    /// Notes the differences of the index that a root of a backend publishes. The names come from the settings.
    ///
    /// The change is that of the backend: what several of its roots publish alike is one change.
    pub(crate) fn found(&self, backend: &str, root: &str, drifts: &[Drift]) -> DriftChange {
        let mut known = self.0.lock();
        let known = known.entry(backend.to_owned()).or_default();
        known.compared = Some(unix_time());
        let before = known.differences();
        let is_first = known.roots.insert(root.to_owned(), drifts.to_vec()).is_none();
        let after = known.differences();
        match (before == after, is_first) {
            (true, _) => DriftChange::None,
            (false, true) => DriftChange::First(after),
            (false, false) => DriftChange::Other(after),
        }
    }

    /// All backends whose indexes are compared, by name; a difference that several roots have stands there once.
    pub(crate) fn status(&self) -> Value {
        let known = self.0.lock();
        let status = known.iter().map(|(backend, drift)| {
            let differences = drift.differences();
            let told: BTreeSet<String> = differences.iter().map(ToString::to_string).collect();
            let mut by_kind: BTreeMap<_, usize> = BTreeMap::new();
            for found in &differences {
                *by_kind.entry(found.kind()).or_default() += 1;
            }
            json!({
                "backend": backend,
                "compared": drift.compared.map(moment),
                "differences": told.len(),
                "by_kind": by_kind,
                "told": told.into_iter().take(MOST_TOLD).collect::<Vec<_>>(),
            })
        });
        status.collect()
    }
}

// === impl BackendDrift ===

impl BackendDrift {
    /// All differences, each once although several roots have it.
    fn differences(&self) -> Vec<Drift> {
        let mut seen: Vec<Drift> = Vec::new();
        for drift in self.roots.values().flatten() {
            if !seen.contains(drift) {
                seen.push(drift.clone());
            }
        }
        seen
    }
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use super::*;

    fn missing(route: &str) -> Drift {
        Drift::RouteMissing {
            route: route.to_owned(),
        }
    }

    #[test]
    fn a_difference_of_several_roots_counts_once_and_changes_are_noticed() {
        let metrics = BackendDrifts::default();
        metrics.expect(["http://a.example".to_owned(), "next".to_owned()]);
        let found = |root, drifts: &[Drift]| metrics.found("http://a.example", root, drifts);
        let (x, y) = (missing("/x"), missing("/y"));
        assert_eq!(found("/", from_ref(&x)), DriftChange::First(vec![x.clone()]));
        assert_eq!(found("/", from_ref(&x)), DriftChange::None);
        assert_eq!(found("/fr", from_ref(&x)), DriftChange::None);
        let both = vec![x.clone(), y];
        assert_eq!(found("/de", &both), DriftChange::First(both.clone()));
        let status = metrics.status();
        assert_eq!(status[0]["by_kind"], json!({"route_missing": 2}));
        assert_eq!(status[1]["backend"], "next");
        assert_eq!(status[1]["differences"], 0);
        assert_eq!(found("/", &[]), DriftChange::None);
        assert_eq!(found("/de", from_ref(&x)), DriftChange::Other(vec![x.clone()]));
        assert_eq!(found("/de", &[]), DriftChange::None);
        assert_eq!(found("/fr", &[]), DriftChange::Other(Vec::new()));
        metrics.expect(["next".to_owned()]);
        assert_eq!(metrics.status().as_array().map(Vec::len), Some(1));
    }
}
