//! The lines of `check` in their order: from the settings alone, and from the site with its surroundings.

use std::path::Path;

use calendar_edge_judge::contract::drift::compare_index;
use serde_json::Value;

use super::check_line::CheckLine;
use super::check_line::LineKind::{Loud, Note, Ok as Fine, Open, Unusable, Void, Warning};
use super::dated_rows::{dated_rows, newer_plugin};
use super::drift_lines::drift_lines;
use super::editors::editors;
use super::guarded_rules::{circumvented, forwards_unjudged, unguarded};
use super::home::home;
use super::languages::unconfigured_languages;
use super::named_address::unreachable_names;
use super::obstacle::ObstacleKind;
use super::open_settings::{OpenSetting, open_settings};
use super::responses::Responses;
use super::site_table::in_force;
use super::surveyed_site::SurveyedSite;
use super::versions::plugin_version;
use super::wall::wall;
use crate::companion::feed::checks::feed;
use crate::migration::checks::backends;
use crate::pages::checks::empty_pages;
use crate::settings::{OriginNamespace, Root, Settings};
use crate::surface::checks::surface;

/// A judge of one subject: it looks for the responses that it needs, and has a line for each finding.
type SiteJudge = fn(&Responses, &Settings) -> Vec<CheckLine>;

/// The checks of a site, in the order of their lines.
const SITE_CHECKS: [SiteJudge; 7] = [
    roots,
    backends,
    basic_auth,
    unconfigured_languages,
    home,
    empty_pages,
    editors,
];

/// The findings of the responses so far about the site of these settings.
pub fn check_site(responses: &Responses, settings: &Settings) -> Vec<CheckLine> {
    let listed = match &settings.origin.namespace {
        OriginNamespace::Listed(name) => Some(Fine.line(format!(
            "the site lists the namespace {name}, which is used while `origin.namespace` is not set"
        ))),
        _ => None,
    };
    let lines = SITE_CHECKS.iter().flat_map(|check| check(responses, settings));
    listed.into_iter().chain(lines).collect()
}

/// The findings of the settings; `others_may_read` is true of a file that every account of the machine may read.
pub fn check_settings(settings: &Settings, others_may_read: fn(&Path) -> bool) -> Vec<CheckLine> {
    let names = unreachable_names(settings).map(|reason| Warning.line(reason));
    let open = open_settings(settings, others_may_read).into_iter();
    let open =
        open.map(|OpenSetting { key, cause, remedy }| Loud.line(format!("`{key}`: {cause}; {remedy}")));
    names
        .into_iter()
        .chain(open)
        .chain(feed(settings))
        .chain(surface(settings))
        .collect()
}

/// The lines that need no request: the rules that do not hold without the companion plugin, and the servers that would
/// get requests.
pub fn check_offline(settings: &Settings) -> Vec<CheckLine> {
    let mut lines = Vec::new();
    if settings.origin.mark_key.is_none() {
        lines.extend(void_rules(settings));
    }
    if settings.fleet.is_set() {
        let store = store(settings);
        lines.push(Note.line(format!("this edge is one of a fleet, through {store}")));
    }
    lines
}

/// The addresses of the store of the fleet.
pub fn store(settings: &Settings) -> String {
    let addresses: Vec<String> = settings.fleet.store.iter().map(ToString::to_string).collect();
    addresses.join(", ")
}

/// The index of each root, and what the site has there; then the rules that do not hold unless the companion plugin guards
/// every root.
pub(super) fn roots(responses: &Responses, settings: &Settings) -> Vec<CheckLine> {
    let site = settings.site();
    let whole = SurveyedSite::of_site(responses, &site, "origin.url");
    let plugin = plugin_version(&whole);
    let (mut lines, mut is_guarded) = (Vec::new(), true);
    for root in &site.roots {
        let is_first = root.origin_url == site.origin.url;
        let key = if is_first {
            "origin.url"
        } else {
            "roots.origin_url"
        };
        let place = SurveyedSite::of_root(responses, &site, &root.origin_url, key);
        match place.index() {
            Ok(index) => lines.extend(root_lines(root, &place, &index, settings, &plugin)),
            Err(obstacle) => {
                // A guard that refuses the edge refuses others as well.
                is_guarded &= obstacle.kind == ObstacleKind::Refused;
                let text = format!("{}: {}: {obstacle}", root.path, root.origin_url);
                lines.push(Unusable.line(text));
            }
        }
    }
    is_guarded &= site.origin.mark_key.is_some() && !lines.iter().any(|line| line.kind == Open);
    lines.extend(void_rules(settings).into_iter().filter(|_| !is_guarded));
    lines
}

fn root_lines(
    root: &Root,
    place: &SurveyedSite<'_>,
    index: &Value,
    settings: &Settings,
    plugin: &str,
) -> Vec<CheckLine> {
    let (path, origin) = (&root.path, &settings.origin);
    let (table, drifts) = (in_force(index, place), compare_index(index, &origin.namespace));
    let shown = table.site_version;
    let mut lines = vec![Fine.line(format!("{path}: The Events Calendar {plugin} ({shown})"))];
    lines.extend(dated_rows(root, plugin, &table));
    lines.extend(newer_plugin(path, plugin));
    lines.extend(drift_lines(&drifts, path, &table, settings));
    lines.extend(origin.mark_key.as_ref().map(|_| wall(place, path)));
    lines
}

/// WordPress may take the credentials of the web server for those of an account: then every visitor would be that account,
/// and see what it sees.
fn basic_auth(responses: &Responses, settings: &Settings) -> Vec<CheckLine> {
    let site = settings.site();
    let place = SurveyedSite::of_root(responses, &site, &site.origin.url, "origin.url");
    if site.origin.basic_auth.is_none() || place.json("wp/v2/users/me").is_none() {
        return Vec::new();
    }
    vec![Unusable.line(
        "WordPress takes the credentials of `origin.basic_auth_file` for an account, so that every visitor would be that \
         account: give the web server a name that WordPress does not have",
    )]
}

/// The rules that requests around the edge are not held to.
fn void_rules(settings: &Settings) -> Vec<CheckLine> {
    if !forwards_unjudged(settings) {
        return Vec::new();
    }
    let void = |key| {
        Void.line(format!(
            "`{key}` does not protect the site: requests around the edge are not held to it"
        ))
    };
    let first = Warning.line(unguarded(settings));
    std::iter::once(first)
        .chain(circumvented(settings).into_iter().map(void))
        .collect()
}
