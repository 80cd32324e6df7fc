//! The home page, asked for as clients would get it: whether the site sends them elsewhere.

use calendar_edge_core::settings::{BackendSettings, OriginHost};
use url::Url;

use super::addresses::{SAME_HOME, home_path, loop_advice, wrong_host};
use super::hindrance::hindrance;
use super::obstacle::Obstacle;
use super::pages::past_the_edge;
use super::probe::Probe;
use super::probe_response::ProbeResponse;
use super::survey_report::Report;

/// Says what the answer to a request for the home page shows about the address of the site.
pub(super) fn check_home(
    home: &Result<ProbeResponse, Obstacle>,
    probe: &Probe<'_>,
    site: &BackendSettings,
    report: &mut Report<'_>,
) {
    let answer = match home {
        Ok(answer) => answer,
        Err(obstacle) => return report.unusable(format!("the home page: {obstacle}")),
    };
    if let Some(hindrance) = hindrance(answer) {
        return report.differs(format!("the home page: {hindrance}"));
    }
    check_redirect(answer, probe.address(), site, report);
    for (host, count) in past_the_edge(&answer.text(), probe.address(), site) {
        report.differs(format!(
            "the home page names {host} in {count} addresses, which lead clients past the edge: {SAME_HOME}"
        ));
    }
}

/// Says where the home page leads; requests name scheme and host like `named`.
fn check_redirect(answer: &ProbeResponse, named: &Url, site: &BackendSettings, report: &mut Report<'_>) {
    let mut asked = site.public_url.as_ref().unwrap_or(named).clone();
    asked.set_path(&home_path(&site.origin.url));
    let location = answer.location().filter(|_| answer.status.is_redirection());
    let location = location.and_then(|location| asked.join(location).ok());
    match location {
        Some(location) if location == asked => {
            let advice = loop_advice(named, &location);
            report.unusable(format!("the home page redirects to itself, {location}: {advice}"));
        }
        Some(location) if OriginHost::of(&location) != OriginHost::of(&asked) => {
            let advice = wrong_host(named, &asked).unwrap_or_else(|| SAME_HOME.to_owned());
            report.differs(format!(
                "clients who ask for {asked} are sent to {location}: {advice}"
            ));
        }
        _ => report.ok(format!("the home page (status {})", answer.status.as_u16())),
    }
}
