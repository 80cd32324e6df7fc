//! The home page, requested as clients would: a site that sends them elsewhere is a finding.

use url::Url;

use super::addresses::{SAME_HOME, home_path, loop_advice, wrong_host};
use super::check_line::CheckLine;
use super::check_line::LineKind::{Differs, Ok as Fine, Unusable};
use super::guarded_rules::forwards_unjudged;
use super::hindrance::hindrance;
use super::pages::past_the_edge;
use super::responses::{Responses, SiteResponse};
use super::surveyed_site::SurveyedSite;
use crate::settings::{BackendSettings, OriginHost, Settings};

/// The findings of the response to a request for the home page about the address of the site.
pub(super) fn home(responses: &Responses, settings: &Settings) -> Vec<CheckLine> {
    if !forwards_unjudged(settings) {
        return Vec::new();
    }
    let site = settings.site();
    let place = SurveyedSite::of_site(responses, &site, "origin.url");
    let answer = match place.page(&home_path(&site.origin.url)) {
        Ok(answer) => answer,
        Err(obstacle) => return vec![Unusable.line(format!("the home page: {obstacle}"))],
    };
    if let Some(hindrance) = hindrance(answer) {
        return vec![Differs.line(format!("the home page: {hindrance}"))];
    }
    let named = place.address();
    let past = past_the_edge(&answer.text(), &named, &site)
        .into_iter()
        .map(|(host, count)| {
            Differs.line(format!(
            "the home page names {host} in {count} addresses, which lead clients past the edge: {SAME_HOME}"
        ))
        });
    std::iter::once(redirect(answer, &named, &site))
        .chain(past)
        .collect()
}

/// The line about the redirect of the home page; requests name scheme and host like `named`.
fn redirect(answer: &SiteResponse, named: &Url, site: &BackendSettings) -> CheckLine {
    let mut asked = site.public_url.as_ref().unwrap_or(named).clone();
    asked.set_path(&home_path(&site.origin.url));
    match answer.redirect().and_then(|location| asked.join(location).ok()) {
        Some(location) if location == asked => {
            let advice = loop_advice(named, &location);
            Unusable.line(format!("the home page redirects to itself, {location}: {advice}"))
        }
        Some(location) if OriginHost::of(&location) != OriginHost::of(&asked) => {
            let advice = wrong_host(named, &asked).unwrap_or_else(|| SAME_HOME.to_owned());
            Differs.line(format!(
                "requests for {asked} are redirected to {location}: {advice}"
            ))
        }
        _ => Fine.line(format!("the home page (status {})", answer.status.as_u16())),
    }
}
