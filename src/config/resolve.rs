//! The second stage: checks the typed settings against each other.

use std::collections::HashSet;

use url::Url;

use super::check;
use super::check_feed;
use super::check_fleet;
use super::check_migration;
use super::check_surface;
use super::draft::{Draft, Placed, unknown_origin};
use super::problem::{Complaint, ConfigFinding, ConfigPlace, ConfigProblems, Impossible};
use calendar_edge_core::settings::{CompareSettings, Root, Settings};

/// The settings; they are valid if no problem was recorded.
pub(super) fn resolve(draft: Draft, problems: &mut ConfigProblems) -> Settings {
    let Draft {
        settings,
        roots,
        backends,
        ignore,
        shadow,
        cutover,
        mut surface,
        webhooks,
    } = draft;
    check::listeners(&settings, problems);
    check::tls(&settings, problems);
    check::proxies(&settings, problems);
    check::names(&settings, problems);
    check_fleet::check(&settings, problems);
    check_surface::check(&settings, &mut surface, problems);
    check_feed::check(&settings, &webhooks, problems);
    check::origin_name(&settings, problems);
    if settings.places.typed("origin.url").is_none() {
        let finding = ConfigFinding::from(Complaint::Missing("origin.url"))
            .expected("the REST root of the site, in the file, as --origin or as CALENDAR_EDGE_ORIGIN");
        problems.add(&ConfigPlace::Absent, finding);
    }
    let roots = resolve_roots(roots, &settings.value.origin.url, problems);
    check::paths(&roots, &settings, problems);
    check_migration::identities(&backends, problems);
    let backends = complete(backends, &["backends.url"], problems);
    check_migration::shadow_backends(&shadow, &backends, problems);
    check_migration::cutover_rules(&cutover, &backends, problems);
    let places: Vec<ConfigPlace> = cutover.iter().map(|rule| rule.places.table.clone()).collect();
    let settings = Settings {
        roots: roots.into_iter().map(|root| root.value).collect(),
        backends,
        shadow: complete(shadow, SHADOW_KEYS, problems),
        cutover: complete(cutover, CUTOVER_KEYS, problems),
        surface: complete(surface, SURFACE_KEYS, problems),
        webhooks: complete(webhooks, WEBHOOK_KEYS, problems),
        compare: CompareSettings {
            ignore: complete(ignore, IGNORE_KEYS, problems),
            ..settings.value.compare
        },
        ..settings.value
    };
    check_migration::whole_rules(&settings, &places, problems);
    settings
}

/// The keys that each rule of `[[compare.ignore]]` must have.
const IGNORE_KEYS: &[&str] = &[
    "compare.ignore.operations",
    "compare.ignore.path",
    "compare.ignore.reason",
];

/// The keys that each rule of `[[shadow]]` must have.
const SHADOW_KEYS: &[&str] = &["shadow.backend", "shadow.operations"];

/// The keys that each rule of `[[cutover]]` must have.
const CUTOVER_KEYS: &[&str] = &["cutover.name", "cutover.backend", "cutover.operations"];

/// The keys that each rule of `[[surface]]` must have.
const SURFACE_KEYS: &[&str] = &["surface.routes"];

/// The keys that each receiver of `[[webhooks]]` must have.
const WEBHOOK_KEYS: &[&str] = &["webhooks.url", "webhooks.secret_file"];

/// The tables that have all of these keys.
fn complete<T>(tables: Vec<Placed<T>>, required: &[&'static str], problems: &mut ConfigProblems) -> Vec<T> {
    for table in &tables {
        for key in required.iter().filter(|key| table.places.typed(key).is_none()) {
            problems.add(&table.places.table, Complaint::Missing(key));
        }
    }
    tables.into_iter().map(|table| table.value).collect()
}

/// The roots with known and distinct paths, each with its origin.
fn resolve_roots(
    typed: Option<Vec<Placed<Root>>>,
    origin: &Url,
    problems: &mut ConfigProblems,
) -> Vec<Placed<Root>> {
    let Some(typed) = typed else {
        let root = Root::default_for(origin.clone());
        return vec![Placed::new(root, ConfigPlace::Absent)];
    };
    let only = typed.len() == 1;
    let mut paths = HashSet::new();
    let mut roots = Vec::new();
    for mut root in typed {
        if !has_new_path(&root, &mut paths, problems) {
            continue;
        }
        if root.places.typed("roots.origin_url").is_none() {
            if !only && root.value.path != Root::DEFAULT_PATH {
                let place = root.places.of("roots.path");
                problems.add(place, missing_origin_url(&root.value.path, origin));
                continue;
            }
            root.value.origin_url = origin.clone();
        }
        roots.push(root);
    }
    roots
}

fn has_new_path(root: &Placed<Root>, known: &mut HashSet<String>, problems: &mut ConfigProblems) -> bool {
    let path = &root.value.path;
    let Some(place) = root.places.typed("roots.path") else {
        let finding = ConfigFinding::from(Complaint::Missing("roots.path"))
            .expected("a public path, like \"/de/wp-json\"");
        problems.add(&root.places.table, finding);
        return false;
    };
    // The problem of a malformed path is recorded already.
    if path.is_empty() {
        return false;
    }
    let is_new = known.insert(path.clone());
    if !is_new {
        let reason = Impossible::Duplicate(path.clone());
        problems.add(place, ConfigFinding::impossible("roots.path", reason));
    }
    is_new
}

fn missing_origin_url(path: &str, origin: &Url) -> ConfigFinding {
    let example = Some(origin).filter(|origin| **origin != unknown_origin());
    let example = example.and_then(|origin| origin.join(path).ok());
    let help = example.map(|url| format!("if the site uses the same path: origin_url = \"{url}\""));
    ConfigFinding::from(Complaint::Missing("roots.origin_url"))
        .expected("the REST root at the site that this root maps to; only /wp-json defaults to `origin.url`")
        .help(help)
}
