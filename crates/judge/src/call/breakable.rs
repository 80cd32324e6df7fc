//! The rules that calls of an operation can break, by the names that findings give them.

use std::collections::BTreeSet;

use crate::contract::{Operation, PluginVersion, Rule, Schema, SiteVersion, read_by_backend};
use crate::policy::{Mode, Policy, Profile, UndeclaredParameters};

/// The names of the rules that a call of an operation can break under a policy, in order.
///
/// In mode `off` only the few remain that no mode waives; those about values are among the names of other modes.
pub fn breakable_rules(operation: &Operation, policy: &Policy) -> BTreeSet<&'static str> {
    let mode = policy.mode(Some(operation));
    let mut rules = BTreeSet::from(["request"]);
    if mode != Mode::Off {
        rules.extend(of_arguments(operation));
        let refuses = policy.undeclared == Some(UndeclaredParameters::Refuse);
        let is_strict = policy.profile(Some(operation)) == Profile::Strict;
        rules.extend((is_strict || refuses).then_some("strict"));
        rules.extend((mode == Mode::Report).then_some("undeclared"));
    }
    rules
}

fn of_arguments(operation: &Operation) -> impl Iterator<Item = &'static str> {
    let arguments = || operation.arguments.iter();
    let judged =
        arguments().filter(|argument| argument.rule != Rule::Anything || argument.crashes_on.is_some());
    let typed = arguments().filter_map(|argument| argument.schema);
    let required = arguments()
        .any(|argument| argument.is_required)
        .then_some("required");
    let crashes = SiteVersion::exactly(PluginVersion::NEWEST);
    let crashes = read_by_backend(operation.id)
        .iter()
        .any(|name| crashes.crashes_on_array(operation, name));
    judged
        .map(|argument| argument.rule.name())
        .chain(typed.map(Schema::name))
        .chain(required)
        .chain(crashes.then_some("crash"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{MEANINGS, rule_meaning, table};

    #[test]
    fn every_rule_has_a_sentence_and_no_other_name() {
        let mut known = BTreeSet::new();
        for (mode, profile) in [
            (Mode::Report, Profile::Strict),
            (Mode::Enforce, Profile::Compatible),
        ] {
            let policy = Policy {
                mode,
                profile,
                ..Policy::default()
            };
            known.extend(
                table()
                    .operations()
                    .iter()
                    .flat_map(|operation| breakable_rules(operation, &policy)),
            );
        }
        for rule in &known {
            let meaning = rule_meaning(rule).unwrap_or_default();
            assert!(meaning.len() > 20 && meaning.ends_with('.'), "{rule}");
        }
        for (rule, _) in MEANINGS {
            assert!(known.contains(rule), "{rule}");
        }
    }

    #[test]
    fn rules_follow_the_table_and_the_policy() {
        let operation = |name: &str| {
            let mut operations = table().operations().iter();
            operations.find(|operation| operation.name == name).unwrap()
        };
        let mut policy = Policy::default();
        let of = |name: &str, policy: &Policy| breakable_rules(operation(name), policy);
        assert_eq!(of("doc", &policy), BTreeSet::from(["request"]));
        let deletion = BTreeSet::from(["integer", "request", "required", "venue_id"]);
        assert_eq!(of("venues.delete", &policy), deletion);
        assert!(of("events.list", &policy).contains("crash"));
        policy.mode = Mode::Report;
        policy.profile = Profile::Strict;
        assert_eq!(
            of("doc", &policy),
            BTreeSet::from(["request", "strict", "undeclared"])
        );
        policy.mode = Mode::Off;
        assert_eq!(of("venues.delete", &policy), BTreeSet::from(["request"]));
    }
}
