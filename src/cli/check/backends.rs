//! The backends beside the site.

use anyhow::Context as _;
use calendar_edge_core::contract::drift::{Drift, compare_index};
use calendar_edge_core::settings::{BackendSettings, BackendSoftware, Settings};

use super::probe::Probe;
use super::trouble::Trouble;

/// Looks at one backend on the way that its calls take: the differences of a WordPress site's index from the table, or
/// of another service whether it answers a list of events.
///
/// # Errors
///
/// When no client can be made; the inner error is what makes the backend unusable.
pub(super) async fn look_at(
    backend: &BackendSettings,
    settings: &Settings,
) -> anyhow::Result<Result<Vec<Drift>, Trouble>> {
    let derived = backend.as_site(settings);
    let probe = Probe::of_root(&derived, &backend.url, "backends.url").context("no client can be made")?;
    Ok(match backend.kind {
        BackendSoftware::WordPress => {
            let index = probe.index().await;
            index.map(|index| compare_index(&index, &backend.namespace))
        }
        BackendSoftware::Service => probe.events().await.map(|()| Vec::new()),
    })
}
