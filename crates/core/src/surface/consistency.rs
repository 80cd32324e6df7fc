//! Checks that rules for the rest of the site have a site to rule, names of their own, and routes beside the
//! calendar's.

use crate::settings::{
    ConfigFinding, ConfigProblems, Draft, OtherTraffic, SurfacePattern, SurfaceRule, listed_twice,
};

use super::surface_request::is_below;

const NAME: &str = "surface.name";
const ROUTES: &str = "surface.routes";

/// Checks all rules.
pub fn check_settings(draft: &Draft, problems: &mut ConfigProblems) {
    let (settings, places) = (&draft.settings, &draft.places);
    let default = places.typed("surface_default.unknown");
    let tables = places
        .tables("surface")
        .iter()
        .map(|place| (place, "`[[surface]]`"));
    let first = tables
        .chain(default.map(|place| (place, "`[surface_default]`")))
        .next();
    if let (OtherTraffic::Refuse, Some((place, table))) = (settings.other, first) {
        let finding = ConfigFinding::missing("other");
        problems.add(place, finding.expected(format!("\"forward\", beside {table}")));
    }
    names(draft, problems);
    for (index, table) in places.tables("surface").iter().enumerate() {
        let places = places.table(index);
        // `callers = "anybody"` has an effect: it exempts requests that later rules would take.
        let is_typed = |key| places.typed(key).is_some();
        if !is_typed("surface.callers") && !is_typed("surface.rate") {
            let finding = ConfigFinding::new("this rule limits neither callers nor their rate");
            let expected =
                "`callers`, `rate` or both; `callers = \"anybody\"` exempts routes from later rules";
            problems.add(table, finding.expected(expected));
        }
    }
    let calendar = settings.public_namespaces();
    for (rule, routes) in settings.surface.iter().map(|rule| &rule.routes).enumerate() {
        for (index, pattern) in routes.iter().enumerate() {
            if let Some(own) = calendar.iter().find(|namespace| is_within(pattern, namespace)) {
                let reason =
                    format!("`{own}` is the calendar, to which no rule of the rest of the site applies");
                let finding = ConfigFinding::impossible(ROUTES, reason);
                let help =
                    "see `mode`, `writes`, `[operations]` and `[rate_limits]` for calls of the calendar";
                let place = places.table(rule).item(ROUTES, index);
                problems.add(place, finding.help(Some(help.to_owned())));
            }
        }
    }
}

/// Gives each rule without a name that of its first pattern.
pub fn name_rules(rules: &mut [SurfaceRule]) {
    for rule in rules.iter_mut().filter(|rule| rule.name.is_empty()) {
        let first = rule.routes.first().map(SurfacePattern::text);
        rule.name = first.unwrap_or_default().to_owned();
    }
}

/// No two rules have the same name.
fn names(draft: &Draft, problems: &mut ConfigProblems) {
    let rules = &draft.settings.surface;
    for (index, SurfaceRule { name, .. }) in rules.iter().enumerate() {
        let is_known = rules.iter().take(index).any(|other| other.name == *name);
        if is_known && !name.is_empty() {
            let help = "give each rule a `name` of its own".to_owned();
            let places = draft.places.table(index);
            let place = places.typed(NAME).unwrap_or_else(|| places.beginning("surface"));
            problems.add(place, listed_twice(NAME, name).help(Some(help)));
        }
    }
}

/// Returns true if a pattern names routes of a namespace.
fn is_within(pattern: &SurfacePattern, namespace: &str) -> bool {
    let SurfacePattern::Route(pattern) = pattern else {
        return false;
    };
    is_below(&pattern.text, &namespace.to_ascii_lowercase())
}
