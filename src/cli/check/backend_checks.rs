//! The backends beside the site.

use anyhow::Context as _;
use calendar_edge_core::settings::{BackendSettings, BackendSoftware};
use calendar_edge_judge::contract::drift::compare_index;

use crate::survey::{Probe, Report};

/// Asks one backend on the way that its calls take: the differences of a WordPress site's index from the table, or of
/// another service whether it answers a list of events.
///
/// # Errors
///
/// When no client can be made, or the report cannot be written.
pub(super) async fn check(backend: &BackendSettings, report: &mut Report<'_>) -> anyhow::Result<()> {
    let BackendSettings { name, origin, .. } = backend;
    let url = &origin.url;
    let probe = Probe::of_root(backend, url, "backends.url").context("no client can be made")?;
    let drifts = match origin.software {
        BackendSoftware::WordPress => {
            let index = probe.index().await;
            index.map(|index| compare_index(&index, &origin.namespace))
        }
        BackendSoftware::Service => probe.events().await.map(|()| Vec::new()),
    };
    match drifts {
        Ok(drifts) if drifts.is_empty() => report.ok(&format!("backend {name}: {url} answers"))?,
        Ok(drifts) => {
            for drift in &drifts {
                report.differs(&format!("backend {name}: {drift}"))?;
            }
        }
        Err(trouble) => report.unusable(&format!("backend {name}: {url}: {trouble}"))?,
    }
    Ok(())
}
