//! The languages of a site: the lines of `check` about those that are not configured, and the tables that `init`
//! writes.

use serde_json::Value;

use super::addresses::home_path;
use super::check_line::CheckLine;
use super::check_line::LineKind::{Differs, Note, Ok as Fine, Warning};
use super::further_roots::{FurtherRoot, LanguageHome, RootPlace, alternates, further_roots};
use super::responses::Responses;
use super::root_document::{languages, namespaces};
use super::surveyed_site::SurveyedSite;
use super::visit::Visited;
use crate::settings::{BackendSettings, Settings};

/// Names the languages that the site advertises and the settings do not have.
pub(super) fn unconfigured_languages(responses: &Responses, settings: &Settings) -> Vec<CheckLine> {
    let site = settings.site();
    let place = SurveyedSite::of_site(responses, &site, "origin.url");
    let home = place.page(&home_path(&site.origin.url)).ok();
    let line = |root: FurtherRoot| {
        let (title, named) = (root.title(), &root.named);
        let (kind, text) = match root.place {
            RootPlace::Nowhere => {
                let nowhere = format!("has no REST root at {named}: clients select it with `lang`");
                return Note.line(format!("the site advertises {title}, and {nowhere}"));
            }
            RootPlace::Site => (
                Differs,
                format!(
                    "with the REST root {named}, which is not configured: its addresses lead past the edge or to 404"
                ),
            ),
            RootPlace::OtherHost => (
                Note,
                format!("on another host. If {named} is its REST root, clients of the edge reach it with"),
            ),
        };
        kind.pasting(format!("the site advertises {title} {text}"), root.paste(&site))
    };
    further_roots(&place, home, &[]).into_iter().map(line).collect()
}

/// Finds the languages from `hreflang` links, `Link` headers and the lists of plugins, and requests each root. The
/// language of the first root, and the further roots that publish the namespace, each with its index.
pub(super) fn site_languages(
    responses: &Responses,
    site: &BackendSettings,
    page: &Visited<'_>,
    document: &Value,
    lines: &mut Vec<CheckLine>,
) -> (Option<String>, Vec<(FurtherRoot, Value)>) {
    let mut listed = document.get("languages").map(languages).unwrap_or_default();
    if namespaces(document).iter().any(|name| name.starts_with("pll/v1")) {
        // Polylang lists them in a route of its own.
        let place = SurveyedSite::of_root(responses, site, &site.origin.url, "--site");
        listed.extend(place.json("pll/v1/languages").iter().flat_map(languages));
    }
    let own = own_language(site, page, &listed);
    if let Some(own) = &own {
        lines.push(Fine.line(format!("the language `{own}` at {}", site.origin.url)));
    }
    let mut found = Vec::new();
    for root in further_roots(
        &SurveyedSite::of_site(responses, site, "origin.url"),
        Some(page.response),
        &listed,
    ) {
        let (line, index) = asked(responses, site, &root);
        lines.push(line);
        found.extend(index.map(|index| (root, index)));
    }
    (own, found)
}

/// The language whose home page is the one of the first root.
fn own_language(site: &BackendSettings, page: &Visited<'_>, listed: &[LanguageHome]) -> Option<String> {
    let home = home_path(&site.origin.url);
    let in_page = alternates(page.response, &page.url);
    let mut all = in_page.iter().chain(listed);
    let own = all.find(|(_, address)| {
        let path = format!("{}/", address.path().trim_end_matches('/'));
        address.host() == page.url.host() && path == home && address.query().is_none()
    });
    own.map(|(language, _)| language.clone())
}

/// The line about a root, with its index; none: it is no root.
fn asked(responses: &Responses, site: &BackendSettings, root: &FurtherRoot) -> (CheckLine, Option<Value>) {
    let (title, url) = (root.title(), &root.url);
    if root.place == RootPlace::Nowhere {
        let nowhere = format!("{title} has no REST root of its own: clients select it with `lang`");
        return (Note.line(nowhere), None);
    }
    let index = match SurveyedSite::of_root(responses, site, url, "roots.origin_url").index() {
        Ok(index) => index,
        Err(obstacle) => {
            return (
                Warning.line(format!("{title} at {url} is left out: {obstacle}")),
                None,
            );
        }
    };
    let line = match root.place {
        RootPlace::OtherHost => Note.line(format!(
            "{title} at {url} is on another host: its lines are written as a comment"
        )),
        RootPlace::Site | RootPlace::Nowhere => Fine.line(format!("{title} at {url}")),
    };
    (line, Some(index))
}
