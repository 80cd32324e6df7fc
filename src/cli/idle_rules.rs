//! Rules that do nothing, as they stand: limits without counts, methods without operations, routes of earlier rules.

use super::open_settings::OpenSetting;
use calendar_edge_core::gateway::surface::SurfaceRules;
use calendar_edge_core::settings::{CutMethods, CutoverRule, Percentage, Settings, ShadowRule};
use calendar_edge_judge::contract::{Operation, table};

/// The rules of these settings that do nothing.
pub(super) fn idle_rules(settings: &Settings) -> impl Iterator<Item = OpenSetting> {
    let shadows = settings.shadow.iter().filter_map(copies_nothing);
    let moved = settings.cutover.iter();
    let cutovers = moved.flat_map(|rule| {
        [
            moves_nothing(rule),
            compares_nothing(rule, settings),
            times_nothing(rule, settings),
        ]
    });
    let surface = SurfaceRules::new(settings);
    let covered: Vec<_> = surface.idle().map(takes_nothing).collect();
    shadows.chain(cutovers.flatten()).chain(covered)
}

/// A rule about the rest of the site behind others that take all of its requests.
fn takes_nothing(rule: &str) -> OpenSetting {
    OpenSetting {
        key: "surface.routes",
        cause: format!("earlier rules take every request that `{rule}` names"),
        remedy: "put it before them, or remove it",
    }
}

/// A copy of writes: there is none.
fn copies_nothing(rule: &ShadowRule) -> Option<OpenSetting> {
    let mut reads = operations().filter(|operation| !operation.is_write());
    let is_idle = !reads.any(|read| rule.is_about(&read.name));
    is_idle.then(|| OpenSetting {
        key: "shadow.operations",
        cause: format!(
            "writes are never copied to `{}`, and none of these is a read",
            rule.backend
        ),
        remedy: "name reads",
    })
}

/// Writes of reads, or the other way round.
fn moves_nothing(rule: &CutoverRule) -> Option<OpenSetting> {
    let is_about =
        |operation: &Operation| rule.is_about(&operation.name, CutMethods::of(operation.is_write()));
    (!operations().any(is_about)).then(|| OpenSetting {
        key: "cutover.methods",
        cause: format!(
            "`{}` is about {}, and none of its operations is one",
            rule.name,
            rule.methods.name()
        ),
        remedy: "set `methods`, or name other operations",
    })
}

/// A limit on differences of answers that nobody compares.
fn compares_nothing(rule: &CutoverRule, settings: &Settings) -> Option<OpenSetting> {
    rule.guard.as_ref()?.different?;
    (!is_copied(rule, settings)).then(|| OpenSetting {
        key: "cutover.guard.different",
        cause: format!("no rule of `[[shadow]]` compares answers of `{}`", rule.name),
        remedy: "add one for the same backend and operations",
    })
}

/// A limit on times beside those of a site that answers no client of the rule, and no copy.
fn times_nothing(rule: &CutoverRule, settings: &Settings) -> Option<OpenSetting> {
    rule.guard.as_ref()?.slower?;
    let takes_all = rule.steps.is_empty() && rule.share == Percentage::ALL;
    (takes_all && !is_copied(rule, settings)).then(|| OpenSetting {
        key: "cutover.guard.slower",
        cause: format!(
            "`{}` takes all clients, and no rule of `[[shadow]]` copies their calls to the site",
            rule.name
        ),
        remedy: "add one for the same backend and operations, or `steps`",
    })
}

/// Whether reads of a rule are copied, to the site those that its backend answers.
fn is_copied(rule: &CutoverRule, settings: &Settings) -> bool {
    let is_copied = |operation: &Operation| {
        let mut shadows = settings.shadow.iter();
        rule.is_about(&operation.name, CutMethods::Reads)
            && !operation.is_write()
            && shadows.any(|shadow| shadow.backend == rule.backend && shadow.is_about(&operation.name))
    };
    operations().any(is_copied)
}

fn operations() -> impl Iterator<Item = &'static Operation> {
    table().operations().iter()
}

#[cfg(test)]
mod tests {
    use calendar_edge::config::{Overrides, parse};

    use super::*;

    const BACKEND: &str = "[origin]\nurl = \"http://wp.example/wp-json\"\n[backends.next]\nurl = \"http://next.example/wp-json\"";

    fn keys(rules: &str) -> Vec<&'static str> {
        let settings = parse("edge.toml", &format!("{BACKEND}\n{rules}"), &Overrides::default());
        let settings = settings.expect("settings");
        idle_rules(&settings).map(|setting| setting.key).collect()
    }

    #[test]
    fn rules_behind_others_are_named() {
        let rule = |name: &str, routes: &str, more: &str| {
            format!("[[surface]]\nname = \"{name}\"\nroutes = [{routes}]\n{more}\n")
        };
        let users = "\"wp/v2/users/*\"";
        for (rules, expected) in [
            (rule("a", "\"wp/v2/*\"", "") + &rule("b", users, ""), 1),
            (rule("a", "\"users\"", "") + &rule("b", users, ""), 1),
            (rule("a", users, "") + &rule("b", "\"users\"", ""), 0),
            (
                rule("a", "\"wp/v2/*\"", "mode = \"off\"") + &rule("b", users, ""),
                0,
            ),
            (
                rule("a", "\"wp/v2/*\"", "methods = [\"GET\"]") + &rule("b", users, ""),
                0,
            ),
            (
                rule("a", "\"wp/v2/*\"", "methods = [\"GET\"]") + &rule("b", users, "methods = [\"GET\"]"),
                1,
            ),
            (
                rule("a", "\"xmlrpc\"", "") + &rule("b", "\"xmlrpc-multicall\"", ""),
                1,
            ),
            (
                rule("a", "\"xmlrpc-multicall\"", "") + &rule("b", "\"xmlrpc\"", ""),
                0,
            ),
        ] {
            let file = format!("other = \"forward\"\n{BACKEND}\n{rules}");
            let settings = parse("edge.toml", &file, &Overrides::default()).expect("settings");
            assert_eq!(idle_rules(&settings).count(), expected, "{rules}");
        }
    }

    #[test]
    fn rules_that_do_nothing_are_named() {
        let shadow =
            |operation: &str| format!("[[shadow]]\nbackend = \"next\"\noperations = [\"{operation}\"]\n");
        let cutover = |operation: &str, methods: &str, more: &str| {
            format!(
                "[[cutover]]\nname = \"a\"\nbackend = \"next\"\nsame_store = true\noperations = [\"{operation}\"]\n\
                 methods = \"{methods}\"\n{more}\n"
            )
        };
        let different = "guard = { different = \"1%\" }";
        let slower = "guard = { slower = \"50%\" }";
        for (rules, expected) in [
            (shadow("venues.create"), &["shadow.operations"][..]),
            (shadow("venues.*"), &[]),
            (cutover("venues.list", "writes", ""), &["cutover.methods"]),
            (cutover("venues.create", "reads", ""), &["cutover.methods"]),
            (cutover("venues.*", "writes", ""), &[]),
            (cutover("venues.*", "reads", "guard = { calls = 9 }"), &[]),
            (
                cutover("venues.*", "reads", different),
                &["cutover.guard.different"],
            ),
            (
                shadow("venues.list") + &cutover("venues.*", "reads", different),
                &[],
            ),
            (cutover("venues.*", "reads", slower), &["cutover.guard.slower"]),
            (shadow("venues.list") + &cutover("venues.*", "reads", slower), &[]),
            (
                cutover("venues.*", "reads", &format!("share = \"50%\"\n{slower}")),
                &[],
            ),
            (
                shadow("tags.*") + &cutover("venues.*", "reads", different),
                &["cutover.guard.different"],
            ),
        ] {
            assert_eq!(keys(&rules), expected, "{rules}");
        }
    }
}
