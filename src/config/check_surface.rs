//! Whether rules for the rest of the site have a site to rule, names of their own, and routes beside the calendar's.

use super::draft::Placed;
use super::problem::{Complaint, ConfigFinding, ConfigProblems, Impossible};
use calendar_edge_core::settings::{OtherTraffic, Settings, SurfacePattern, SurfaceRule};

/// Names the rules that have no name, and checks all of them.
pub(super) fn check(
    typed: &Placed<Settings>,
    rules: &mut [Placed<SurfaceRule>],
    problems: &mut ConfigProblems,
) {
    let default = typed.places.typed("surface_default.unknown");
    let tables = rules.iter().map(|rule| (&rule.places.table, "`[[surface]]`"));
    let first = tables
        .chain(default.map(|place| (place, "`[surface_default]`")))
        .next();
    if let (OtherTraffic::Refuse, Some((place, table))) = (typed.value.other, first) {
        let finding = ConfigFinding::from(Complaint::Missing("other"));
        problems.add(place, finding.expected(format!("\"forward\", beside {table}")));
    }
    name(rules, problems);
    let calendar = typed.value.public_namespaces();
    for rule in rules {
        for (index, pattern) in rule.value.routes.iter().enumerate() {
            if let Some(own) = calendar.iter().find(|namespace| is_within(pattern, namespace)) {
                let finding =
                    ConfigFinding::impossible("surface.routes", Impossible::CalendarRoute(own.clone()));
                let help =
                    "see `mode`, `writes`, `[operations]` and `[rate_limits]` for calls of the calendar";
                let place = rule.places.item("surface.routes", index);
                problems.add(place, finding.help(Some(help.to_owned())));
            }
        }
    }
}

/// Rules are named, by their first pattern if not by the file, and no two have the same name.
fn name(rules: &mut [Placed<SurfaceRule>], problems: &mut ConfigProblems) {
    let mut known: Vec<String> = Vec::new();
    for Placed { value, places } in rules {
        if value.name.is_empty() {
            value.name = value
                .routes
                .first()
                .map_or_else(String::new, |first| first.text().to_owned());
        }
        if !value.name.is_empty() && known.contains(&value.name) {
            let finding =
                ConfigFinding::impossible("surface.name", Impossible::Duplicate(value.name.clone()));
            let help = "give each rule a `name` of its own".to_owned();
            problems.add(
                places.typed("surface.name").unwrap_or(&places.table),
                finding.help(Some(help)),
            );
        }
        known.push(value.name.clone());
    }
}

/// Returns true if a pattern names routes of a namespace.
fn is_within(pattern: &SurfacePattern, namespace: &str) -> bool {
    let SurfacePattern::Route(pattern) = pattern else {
        return false;
    };
    let below = pattern.text().strip_prefix(&namespace.to_ascii_lowercase());
    below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
}
