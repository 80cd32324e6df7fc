//! The backends beside the site.

use anyhow::Context as _;
use calendar_edge_core::settings::{BackendSettings, BackendSoftware, CredentialsPolicy};
use calendar_edge_judge::contract::drift::compare_index;

use crate::survey::{Probe, Report};

/// Asks one backend on the way that its calls take: the differences of a WordPress site's index from the table, or of
/// another service whether it answers a list of events.
///
/// # Errors
///
/// When no client can be made, or the report cannot be written.
pub(super) async fn check(
    backend: &BackendSettings,
    site: &BackendSettings,
    report: &mut Report<'_>,
) -> anyhow::Result<()> {
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
    if backend.credentials == CredentialsPolicy::Identity {
        check_identity(backend, site, report).await?;
    }
    Ok(())
}

/// Whether the site says who callers are: one without credentials must be told that he has none.
async fn check_identity(
    backend: &BackendSettings,
    site: &BackendSettings,
    report: &mut Report<'_>,
) -> anyhow::Result<()> {
    let probe = Probe::of_root(site, &site.origin.url, "origin.url").context("no client can be made")?;
    let name = &backend.name;
    match probe.anonymous_caller().await {
        Ok(()) => report.ok(&format!("backend {name}: the site says who callers are"))?,
        Err(trouble) => report.unusable(&format!(
            "backend {name}: identities need /wp/v2/users/me of the site, for callers with credentials: {trouble}"
        ))?,
    }
    Ok(())
}
