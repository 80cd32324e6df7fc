//! Compares what backends publish with the table, and says when the differences change.

use url::Url;

use crate::backend::{IndexSource, read_drift};
use crate::telemetry::{DriftChange, Metrics, with_causes};
use calendar_edge_core::settings::{BackendSettings, BackendSoftware, Settings};
use calendar_edge_judge::contract::drift::Drift;

/// Maximum number of differences that one log line tells.
const MOST_TOLD: usize = 8;

/// What to do about a plugin that is not there.
const ADVICE: &str = "activate The Events Calendar at the site; if its API has another name there, set \
                      `origin.namespace`, or `namespace` of the backend";

/// Creates the series of the backends in the settings, and forgets those of others.
pub(super) fn expect(metrics: &Metrics, settings: &Settings) {
    let sites = IndexSource::all(&settings.site());
    let sites = sites.iter().map(site_name);
    let further = settings
        .backends
        .iter()
        .filter(|backend| backend.kind == BackendSoftware::WordPress);
    let further = further.map(|backend| backend.name.clone());
    metrics.drift().expect(sites.chain(further));
}

/// The name of a site in metrics: scheme, host and port.
pub(super) fn site_name(source: &IndexSource) -> String {
    source.root().origin().ascii_serialization()
}

/// Compares the backends beside the site.
pub(super) async fn compare_further(metrics: &Metrics, settings: &Settings) {
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
            Ok(drifts) => note(metrics, name, &origin.url, &drifts),
            Err(error) => {
                let error = with_causes(&error);
                tracing::info!(backend = name, error, "the index of a backend cannot be read");
            }
        }
    }
}

/// Keeps the differences, and logs one line if those of the backend are others than before.
pub(super) fn note(metrics: &Metrics, backend: &str, root: &Url, drifts: &[Drift]) {
    let root = root.as_str();
    let change = metrics.drift().found(backend, root, drifts);
    let (is_first, found) = match &change {
        DriftChange::None => return,
        DriftChange::First(found) => (true, found.as_slice()),
        DriftChange::Other(found) => (false, found.as_slice()),
    };
    if let Some(namespace) = absent(found) {
        tracing::warn!(
            backend,
            root,
            namespace,
            advice = ADVICE,
            "the plugin is not there: the site publishes no such API"
        );
        return;
    }
    let (differences, told) = (found.len(), told(found));
    match (is_first, found) {
        (_, []) => tracing::info!(backend, root, "a backend agrees with the table again"),
        (true, _) => tracing::info!(
            backend,
            root,
            differences,
            told,
            "a backend differs from the table"
        ),
        (false, _) => tracing::warn!(
            backend,
            root,
            differences,
            told,
            "what differs between a backend and the table has changed"
        ),
    }
}

/// The namespace that a backend should publish and does not, if that is all that differs.
pub(super) fn absent(differences: &[Drift]) -> Option<&str> {
    match differences {
        [
            Drift::NotThisNamespace {
                expected,
                found: None,
            },
        ] => Some(expected),
        _ => None,
    }
}

fn told(differences: &[Drift]) -> String {
    let told = differences.iter().take(MOST_TOLD).map(ToString::to_string);
    told.collect::<Vec<_>>().join("; ")
}
