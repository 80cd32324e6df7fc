//! The rules that calls of an operation can break, by the names that findings give them.

use std::collections::BTreeSet;

use crate::contract::{Argument, Operation, Rule, Schema, obeyed};
use crate::settings::{Mode, Modes, Profile, Settings, UndeclaredParameters};

/// The names of the rules that a call of an operation can break under these settings, in order.
///
/// In mode `off` only the few remain that no mode waives; those about values are among the names of other modes.
pub fn breakable_rules(operation: &Operation, settings: &Settings) -> BTreeSet<&'static str> {
    let mode = Modes::of(settings).of_operation(Some(operation));
    let mut rules = BTreeSet::from(["request"]);
    if mode != Mode::Off {
        rules.extend(of_arguments(operation));
        let refuses = settings.undeclared == Some(UndeclaredParameters::Refuse);
        let is_strict = is_strict(operation, settings);
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
    let required = arguments().any(Argument::is_required).then_some("required");
    let crashes = obeyed(operation.id)
        .iter()
        .any(|known| known.crashes_on.is_some());
    judged
        .map(|argument| argument.rule.name())
        .chain(typed.map(Schema::name))
        .chain(required)
        .chain(crashes.then_some("crash"))
}

fn is_strict(operation: &Operation, settings: &Settings) -> bool {
    let own = settings.operations.get(&operation.id).and_then(|own| own.profile);
    own.unwrap_or(settings.profile) == Profile::Strict
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::table;

    #[test]
    fn rules_follow_the_table_and_the_settings() {
        let operation = |name: &str| {
            let mut operations = table().operations().iter();
            operations.find(|operation| operation.name == name).unwrap()
        };
        let mut settings = Settings::for_origin("http://wp.example/wp-json".parse().unwrap());
        let of = |name: &str, settings: &Settings| breakable_rules(operation(name), settings);
        assert_eq!(of("doc", &settings), BTreeSet::from(["request"]));
        let deletion = BTreeSet::from(["integer", "request", "required", "venue_id"]);
        assert_eq!(of("venues.delete", &settings), deletion);
        assert!(of("events.list", &settings).contains("crash"));
        settings.mode = Mode::Report;
        settings.profile = Profile::Strict;
        assert_eq!(
            of("doc", &settings),
            BTreeSet::from(["request", "strict", "undeclared"])
        );
        settings.mode = Mode::Off;
        assert_eq!(of("venues.delete", &settings), BTreeSet::from(["request"]));
    }
}
