//! The backends beside the site.

use calendar_edge_judge::contract::drift::{Drift, compare_index};
use serde_json::Value;

use crate::migration::{OUTBOX, left_behind, without_way_back};
use crate::settings::{BackendSettings, BackendSoftware, CredentialsPolicy, Settings};
use crate::survey::check_line::CheckLine;
use crate::survey::check_line::LineKind::{Differs, Ok as Fine, Unusable, Warning};
use crate::survey::obstacle::Obstacle;
use crate::survey::responses::{Responses, code};
use crate::survey::surveyed_site::SurveyedSite;

/// The findings about each backend on the way of its calls: the differences of a WordPress site's index from the table,
/// or of another service a list of events that it fails to send; and the way back of records that are written there.
pub(crate) fn backends(responses: &Responses, settings: &Settings) -> Vec<CheckLine> {
    let mut lines = Vec::new();
    for backend in settings.candidates() {
        let (name, url) = (&backend.name, &backend.origin.url);
        let place = SurveyedSite::of_root(responses, &backend, url, "backends.url");
        match drifts(&place) {
            Ok(drifts) if drifts.is_empty() => {
                lines.push(Fine.line(format!("backend {name}: {url} responds")));
            }
            Ok(drifts) => {
                let differs = |drift: &Drift| Differs.line(format!("backend {name}: {drift}"));
                lines.extend(drifts.iter().map(differs));
            }
            Err(obstacle) => lines.push(Unusable.line(format!("backend {name}: {url}: {obstacle}"))),
        }
        if backend.credentials == CredentialsPolicy::Identity {
            let site = settings.site();
            let site = SurveyedSite::of_root(responses, &site, &settings.origin.url, "origin.url");
            lines.push(match anonymous_caller(&site) {
                Ok(()) => Fine.line(format!("backend {name}: the site names its callers")),
                Err(obstacle) => Unusable.line(format!(
                    "backend {name}: identities need /wp/v2/users/me of the site, for callers with credentials: {obstacle}"
                )),
            });
        }
        lines.extend(way_back(&place, settings, &backend));
    }
    lines
}

/// Findings where clients would lose their writes to a backend, or have lost them with a rule that is gone. The line
/// about the backend reports that it does not respond.
fn way_back(place: &SurveyedSite<'_>, settings: &Settings, backend: &BackendSettings) -> Vec<CheckLine> {
    let Ok(answer) = place.rest(OUTBOX, true) else {
        return Vec::new();
    };
    let outbox: Option<Value> = answer.json().filter(|_| answer.status == 200);
    let name = &backend.name;
    let missing = without_way_back(settings, name, outbox.as_ref());
    let left = outbox.and_then(|outbox| left_behind(settings, name, &outbox));
    let missing = missing.map(|reason| Warning.line(format!("backend {name}: {reason}")));
    let left = left.map(|reason| Differs.line(format!("backend {name}: {reason}")));
    missing.into_iter().chain(left).collect()
}

/// The differences of an index, or none of a service, which must respond with a list of events even if it publishes no
/// index.
fn drifts(place: &SurveyedSite<'_>) -> Result<Vec<Drift>, Obstacle> {
    let origin = &place.backend.origin;
    if origin.software == BackendSoftware::WordPress {
        return Ok(compare_index(&place.index()?, &origin.namespace));
    }
    let (status, json) = place.document(&format!("{}/events", origin.namespace), false)?;
    if status.is_success() {
        return Ok(Vec::new());
    }
    let (status, code) = (status.as_u16(), code(&json));
    Err(Obstacle::other(format!("status {status} ({code})")))
}

/// Requests the current user without credentials: WordPress responds that no user is logged in, unless something closes
/// the route.
fn anonymous_caller(site: &SurveyedSite<'_>) -> Result<(), Obstacle> {
    let (status, json) = site.document("wp/v2/users/me", true)?;
    match (status.as_u16(), code(&json)) {
        (401, "rest_not_logged_in") => Ok(()),
        (status, code) => Err(Obstacle::other(format!("status {status} ({code})"))),
    }
}
