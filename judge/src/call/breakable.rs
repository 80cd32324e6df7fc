//! The rules that calls of an operation can break, by the names that findings give them.

use std::collections::BTreeSet;

use crate::contract::{Argument, Operation, Rule, Schema, obeyed};
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

/// The sentence that explains a rule to people, by the name that findings give it; none for other names.
pub fn rule_meaning(rule: &str) -> Option<&'static str> {
    let mut meanings = MEANINGS.iter();
    meanings
        .find(|(name, _)| *name == rule)
        .map(|(_, meaning)| *meaning)
}

/// Every rule that a finding can name, with its sentence.
const MEANINGS: [(&str, &str); 34] = [
    (
        "anything",
        "Any value passes, but for shapes on which PHP would end with a fatal error.",
    ),
    ("boolean", "The value must be `true`, `false`, 1 or 0."),
    (
        "crash",
        "PHP would end with a fatal error on a value of this shape.",
    ),
    ("event_id", "The value must be the number of an event."),
    (
        "event_number",
        "The number in the path must be one that the site takes for an event.",
    ),
    ("event_slug", "The value must be the slug of an event."),
    (
        "image",
        "The value must be the number of an image, or a URL that the site can fetch one from.",
    ),
    (
        "image_or_empty",
        "The value must be empty, the number of an image, or a URL that the site can fetch one from.",
    ),
    ("integer", "The value must be a whole number."),
    (
        "non_empty_string",
        "The value must be a text that is neither empty nor `0`.",
    ),
    (
        "organizer_entry",
        "The value must be the number of an organizer, the members of a new one, or empty.",
    ),
    ("organizer_id", "The value must be the number of an organizer."),
    (
        "organizer_id_list",
        "The value must be a list of numbers of organizers.",
    ),
    ("organizer_slug", "The value must be the slug of an organizer."),
    ("positive_int", "The value must be a whole number above zero."),
    (
        "positive_int_list",
        "The value must be a list of whole numbers above zero.",
    ),
    (
        "post_status",
        "The value must be a post status that WordPress has.",
    ),
    (
        "request",
        "The request as a whole cannot be taken; the code says why.",
    ),
    (
        "required",
        "The parameter is missing, and the operation does not work without it.",
    ),
    (
        "status_filter",
        "The value must be a list of statuses that the caller may read.",
    ),
    (
        "strict",
        "The strict profile takes this parameter, or this form of its value, from nobody.",
    ),
    ("string", "The value must be one text, and no list or object."),
    ("string_or_empty", "The value must be a text, or empty."),
    (
        "term_list",
        "The value must be a list of ids, slugs or names of terms.",
    ),
    (
        "ticketed",
        "The parameter works only where Event Tickets is active.",
    ),
    (
        "time",
        "The value must be a time that PHP can read, like `2027-05-01 18:00`.",
    ),
    (
        "timezone_or_empty",
        "The value must be a time zone that PHP knows, or empty.",
    ),
    (
        "undeclared",
        "The operation does not declare this parameter: `enforce` leaves it out of the call.",
    ),
    ("url_or_empty", "The value must be a URL, or empty."),
    ("user_id", "The value must be the number of a user."),
    (
        "venue_entry",
        "The value must be the number of a venue, the members of a new one, or empty.",
    ),
    ("venue_id", "The value must be the number of a venue."),
    ("venue_id_list", "The value must be a list of numbers of venues."),
    ("venue_slug", "The value must be the slug of a venue."),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::table;

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
