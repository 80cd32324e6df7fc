//! The second stage: checks the typed settings against each other.

use std::collections::HashSet;

use super::check;
use calendar_edge_core::companion::feed;
use calendar_edge_core::settings::{
    ConfigFinding, ConfigPlace, ConfigProblems, Draft, Occurs, Root, SECTIONS, Settings, TablePlaces,
    listed_twice, unknown_origin,
};
use calendar_edge_core::{fleet, migration, pages, surface};
use url::Url;

/// The settings; they are valid if no problem was recorded.
pub(super) fn resolve(mut draft: Draft, problems: &mut ConfigProblems) -> Settings {
    surface::name_rules(&mut draft.settings.surface);
    check::listeners(&draft, problems);
    check::tls(&draft, problems);
    check::proxies(&draft, problems);
    check::state_dir(&draft, problems);
    check::log_filter(&draft, problems);
    check::names(&draft, problems);
    fleet::check_settings(&draft, problems);
    surface::check_settings(&draft, problems);
    feed::check_settings(&draft, problems);
    pages::check_settings(&draft, problems);
    check::origin_name(&draft, problems);
    if draft.places.typed("origin.url").is_none() {
        let finding = ConfigFinding::missing("origin.url")
            .expected("the REST root of the site, in the file, as --origin or as CALENDAR_EDGE_ORIGIN")
            .help(Some(
                "`calendar-edge init --site URL` finds the root of a site and writes the file".to_owned(),
            ));
        problems.add(&ConfigPlace::Absent, finding);
    }
    let roots = resolve_roots(&mut draft, problems);
    check::paths(&roots, &draft, problems);
    draft.settings.roots = roots.into_iter().map(|(_, root)| root).collect();
    migration::check_identities(&draft, problems);
    required(&draft, problems);
    migration::check_rules(&draft, problems);
    migration::check_stores(&draft, problems);
    draft.settings
}

/// Each of several tables has the keys that it must have. Those of roots depend on each other.
fn required(draft: &Draft, problems: &mut ConfigProblems) {
    let is_several = |occurs| matches!(occurs, Occurs::List | Occurs::Named(_));
    let sections = SECTIONS
        .iter()
        .filter(|section| is_several(section.occurs) && section.name != "roots");
    for section in sections {
        let keys = section.keys(|key| (key.default == "required").then(|| section.key_name(key.name)));
        for (index, table) in draft.places.tables(section.name).iter().enumerate() {
            let places = draft.places.table(index);
            for key in keys.iter().flatten().filter(|key| places.typed(key).is_none()) {
                problems.add(table, ConfigFinding::missing(key));
            }
        }
    }
}

/// The roots with known and distinct paths, each with its origin, and the positions of their tables.
fn resolve_roots(draft: &mut Draft, problems: &mut ConfigProblems) -> Vec<(usize, Root)> {
    let typed = std::mem::take(&mut draft.settings.roots);
    let origin = &draft.settings.origin.url;
    if draft.places.tables("roots").is_empty() {
        return vec![(0, Root::default_for(origin.clone()))];
    }
    let only = typed.len() == 1;
    let mut paths = HashSet::new();
    let mut roots = Vec::new();
    for (index, mut root) in typed.into_iter().enumerate() {
        let places = draft.places.table(index);
        if !has_new_path(&root, places, &mut paths, problems) {
            continue;
        }
        if places.typed("roots.origin_url").is_none() {
            if !only && root.path != Root::DEFAULT_PATH {
                problems.add(places.of("roots.path"), missing_origin_url(&root.path, origin));
                continue;
            }
            root.origin_url = origin.clone();
        }
        roots.push((index, root));
    }
    roots
}

fn has_new_path(
    root: &Root,
    places: TablePlaces<'_>,
    known: &mut HashSet<String>,
    problems: &mut ConfigProblems,
) -> bool {
    let path = &root.path;
    let Some(place) = places.typed("roots.path") else {
        let finding = ConfigFinding::missing("roots.path").expected("a public path, like \"/de/wp-json\"");
        problems.add(places.beginning("roots"), finding);
        return false;
    };
    // The problem of a malformed path is recorded already.
    if path.is_empty() {
        return false;
    }
    let is_new = known.insert(path.clone());
    if !is_new {
        problems.add(place, listed_twice("roots.path", path));
    }
    is_new
}

fn missing_origin_url(path: &str, origin: &Url) -> ConfigFinding {
    let example = Some(origin).filter(|origin| **origin != unknown_origin());
    let example = example.and_then(|origin| origin.join(path).ok());
    let help = example.map(|url| format!("if the site uses the same path: origin_url = \"{url}\""));
    ConfigFinding::missing("roots.origin_url")
        .expected("the REST root at the site that this root maps to; only /wp-json defaults to `origin.url`")
        .help(help)
}
