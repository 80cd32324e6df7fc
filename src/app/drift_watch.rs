//! Compares the indexes of backends with the table, and logs changed differences.

use std::collections::{BTreeMap, BTreeSet};

use url::Url;

use crate::backend::{IndexSource, read_drift};
use crate::telemetry::with_causes;
use calendar_edge_core::settings::{BackendSettings, BackendSoftware, Settings};
use calendar_edge_judge::contract::drift::{Drift, DriftKind};

/// Maximum number of differences in one log line.
const MOST_LISTED: usize = 8;

/// The differences of all backends: by their name, and by the REST root that publishes the index.
#[derive(Debug, Default)]
pub(super) struct BackendDrifts(BTreeMap<String, BTreeMap<String, Vec<Drift>>>);

/// The remedy for a plugin that is not there.
const ADVICE: &str = "activate The Events Calendar at the site; if its API has another name there, set \
                      `origin.namespace`, or `namespace` of the backend";

/// The name of a site in the log: scheme, host and port.
pub(super) fn site_name(source: &IndexSource) -> String {
    source.root.origin().ascii_serialization()
}

// === impl BackendDrifts ===

impl BackendDrifts {
    /// Compares the backends beside the site.
    pub(super) async fn compare_further(&mut self, settings: &Settings) {
        for backend in settings.candidates() {
            let BackendSettings { name, origin, .. } = &backend;
            if origin.software != BackendSoftware::WordPress {
                continue;
            }
            let read = read_drift(&backend, &origin.url).await;
            let read = read.or_else(|error| match error.drifts(&origin.namespace) {
                drifts if drifts.is_empty() => Err(error),
                drifts => Ok(drifts),
            });
            match read {
                Ok(drifts) => self.note(name, &origin.url, drifts),
                Err(error) => {
                    let error = with_causes(&error);
                    tracing::info!(backend = name, error, "the index of a backend cannot be read");
                }
            }
        }
    }

    /// Keeps the differences, and logs one line if those of the backend are others than before.
    pub(super) fn note(&mut self, backend: &str, root: &Url, drifts: Vec<Drift>) {
        let root = root.as_str();
        let Some((found, is_first)) = self.found(backend, root, drifts) else {
            return;
        };
        if let Some(namespace) = absent(&found) {
            tracing::warn!(
                backend,
                root,
                namespace,
                advice = ADVICE,
                "the plugin is not there: the site publishes no such API"
            );
            return;
        }
        let (differences, told) = (found.len(), listed(&found));
        if found.is_empty() {
            tracing::info!(backend, root, "a backend agrees with the table again");
        } else if is_first {
            tracing::info!(
                backend,
                root,
                differences,
                told,
                "a backend differs from the table"
            );
        } else {
            tracing::warn!(
                backend,
                root,
                differences,
                told,
                "what differs between a backend and the table has changed"
            );
        }
    }

    /// Keeps the differences of a root. Returns all those of the backend if they have changed, and true if the root has
    /// none yet: a change that several roots publish alike is one change.
    fn found(&mut self, backend: &str, root: &str, drifts: Vec<Drift>) -> Option<(Vec<Drift>, bool)> {
        let roots = self.0.entry(backend.to_owned()).or_default();
        let before = differences(roots);
        let is_first = roots.insert(root.to_owned(), drifts).is_none();
        let after = differences(roots);
        (before != after).then_some((after, is_first))
    }
}

/// All differences, each once although several roots have it.
fn differences(roots: &BTreeMap<String, Vec<Drift>>) -> Vec<Drift> {
    let all: BTreeSet<&Drift> = roots.values().flatten().collect();
    all.into_iter().cloned().collect()
}

/// The namespace that a backend should publish and does not, if that is all that differs.
pub(super) fn absent(differences: &[Drift]) -> Option<&str> {
    match differences {
        [
            Drift {
                kind: DriftKind::NotThisNamespace(None),
                place,
            },
        ] => Some(place),
        _ => None,
    }
}

fn listed(differences: &[Drift]) -> String {
    let first = differences.iter().take(MOST_LISTED).map(ToString::to_string);
    first.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(route: &str) -> Drift {
        DriftKind::Missing.at(route)
    }

    #[test]
    fn a_difference_of_several_roots_counts_once_and_changes_are_noticed() {
        let mut known = BackendDrifts::default();
        let mut found = |root, drifts: &[Drift]| known.found("http://a.example", root, drifts.to_vec());
        let both = [missing("/x"), missing("/y")];
        let x = &both[..1];
        assert_eq!(found("/", x), Some((x.to_vec(), true)));
        assert_eq!(found("/", x), None);
        assert_eq!(found("/fr", x), None);
        assert_eq!(found("/de", &both), Some((both.to_vec(), true)));
        assert_eq!(found("/", &[]), None);
        assert_eq!(found("/de", x), Some((x.to_vec(), false)));
        assert_eq!(found("/de", &[]), None);
        assert_eq!(found("/fr", &[]), Some((Vec::new(), false)));
    }
}
