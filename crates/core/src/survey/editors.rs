//! WordPress's own routes to the records of the calendar, which the calendar's settings do not reach (decision 0018).

use serde_json::Value;

use super::check_line::CheckLine;
use super::check_line::LineKind::{Loud, Note};
use super::guarded_rules::{circumvented, forwards_unjudged};
use super::responses::Responses;
use super::surveyed_site::SurveyedSite;
use crate::settings::{Root, Settings};

/// The post types of the calendar. WordPress serves one to its editors where the plugin allows it.
const RECORD_TYPES: [&str; 4] = [
    "tribe_events",
    "tribe_venue",
    "tribe_organizer",
    "tribe_event_series",
];

/// A namespace of newer plugins, with routes of their own to the same records.
const NEWER_NAMESPACE: &str = "tec/v1";

/// The rules about writes that do not hold on other routes to the same records. It is advice and no finding: WordPress
/// decides about the rights of its editors.
pub(super) fn editors(responses: &Responses, settings: &Settings) -> Vec<CheckLine> {
    let (rules, site) = (circumvented(settings), settings.site());
    if rules.is_empty() || !forwards_unjudged(settings) {
        return Vec::new();
    }
    let rules = rules.join("`, `");
    let of_root = |root: &Root| {
        let routes = shown(&SurveyedSite::of_root(
            responses,
            &site,
            &root.origin_url,
            "origin.url",
        ));
        let (kind, what) = if routes.is_empty() {
            let hidden = "that WordPress shows to no client without a login, such as wp/v2/tribe_events";
            (Note, hidden.to_owned())
        } else {
            (Loud, format!("of WordPress's own: {}", routes.join(", ")))
        };
        kind.line(format!(
            "{}: `{rules}` do not reach routes {what}; there the roles of WordPress decide about writes",
            root.path
        ))
    };
    settings.roots.iter().map(of_root).collect()
}

/// The routes that are shown to every client.
fn shown(place: &SurveyedSite<'_>) -> Vec<String> {
    let types = place.json("wp/v2/types").unwrap_or_default();
    let of_types = RECORD_TYPES.into_iter().filter(|name| types.get(name).is_some());
    let mut routes: Vec<String> = of_types.map(|name| format!("wp/v2/{name}")).collect();
    let index = place.json("").unwrap_or_default();
    let names = index.get("namespaces").and_then(Value::as_array);
    if names.is_some_and(|names| names.iter().any(|name| name == NEWER_NAMESPACE)) {
        routes.push(NEWER_NAMESPACE.to_owned());
    }
    routes
}
