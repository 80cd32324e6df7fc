//! The backends beside the site.

use calendar_edge::backend::read_beside;
use calendar_edge_core::migration::{OUTBOX, left_behind, without_way_back};
use calendar_edge_core::settings::{BackendSettings, BackendSoftware, CredentialsPolicy, Settings};
use calendar_edge_judge::contract::drift::{Drift, compare_index};

use super::obstacle::Obstacle;
use super::probe::{Marking, Probe};
use super::probe_response::code;
use super::survey_report::Report;

/// Asks one backend on the way that its calls take: the differences of a WordPress site's index from the table, or of
/// another service whether it answers a list of events.
///
/// # Errors
/// When no client can be made.
pub(super) async fn check_backend(
    backend: &BackendSettings,
    site: &BackendSettings,
    report: &mut Report<'_>,
) -> Result<(), Obstacle> {
    let BackendSettings { name, origin, .. } = backend;
    let url = &origin.url;
    let probe = Probe::of_root(backend, url, "backends.url")?;
    match drifts(&probe, backend).await {
        Ok(drifts) if drifts.is_empty() => report.ok(format!("backend {name}: {url} answers")),
        Ok(drifts) => {
            for drift in &drifts {
                report.differs(format!("backend {name}: {drift}"));
            }
        }
        Err(obstacle) => report.unusable(format!("backend {name}: {url}: {obstacle}")),
    }
    if backend.credentials == CredentialsPolicy::Identity {
        let probe = Probe::of_root(site, &site.origin.url, "origin.url")?;
        match anonymous_caller(&probe).await {
            Ok(()) => report.ok(format!("backend {name}: the site says who callers are")),
            Err(obstacle) => report.unusable(format!(
                "backend {name}: identities need /wp/v2/users/me of the site, for callers with credentials: {obstacle}"
            )),
        }
    }
    Ok(())
}

/// Says if clients would lose what they write there, or have lost it with a rule that is gone.
pub(super) async fn check_way_back(backend: &BackendSettings, settings: &Settings, report: &mut Report<'_>) {
    let name = &backend.name;
    // The line about the backend tells if it does not respond.
    let Ok(outbox) = read_beside(backend, OUTBOX).await else {
        return;
    };
    if let Some(reason) = without_way_back(settings, name, outbox.as_ref()) {
        report.warning(format!("backend {name}: {reason}"));
    }
    let left = outbox.and_then(|outbox| left_behind(settings, name, &outbox));
    if let Some(reason) = left {
        report.differs(format!("backend {name}: {reason}"));
    }
}

/// The differences of an index, or none of a service, which must answer a list of events even if it publishes no index.
async fn drifts(probe: &Probe<'_>, backend: &BackendSettings) -> Result<Vec<Drift>, Obstacle> {
    let namespace = &backend.origin.namespace;
    if backend.origin.software == BackendSoftware::WordPress {
        return Ok(compare_index(&probe.index().await?, namespace));
    }
    let answer = probe
        .rest(&format!("{namespace}/events"), Marking::Unmarked)
        .await?;
    let json = probe.json_of(&answer).await?;
    if answer.status.is_success() {
        return Ok(Vec::new());
    }
    Err(Obstacle::refused(answer.status.as_u16(), &code(&json)))
}

/// Asks who asks, without credentials: WordPress answers that nobody is logged in, unless something closes the route.
async fn anonymous_caller(probe: &Probe<'_>) -> Result<(), Obstacle> {
    let answer = probe.rest("wp/v2/users/me", Marking::Marked).await?;
    let code = code(&probe.json_of(&answer).await?);
    match answer.status.as_u16() {
        401 if code == "rest_not_logged_in" => Ok(()),
        status => Err(Obstacle::refused(status, &code)),
    }
}
