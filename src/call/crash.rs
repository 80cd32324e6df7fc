//! Values that end PHP with a fatal error: they are forwarded in no mode and no profile (backend.md section 3).

use crate::contract::{Argument, Kind, Operation, Route, Rule, obeyed};
use crate::payload::Bags;
use crate::value::{PhpArray, Value};

/// The parameter whose value would crash the plugin.
pub(super) fn crashing(operation: &Operation, bags: &Bags) -> Option<&'static str> {
    let value = |name| bags.get(name).map(|(_, value)| value);
    let declared = operation.arguments.iter();
    let crashes =
        |argument: &&Argument| value(argument.name).is_some_and(|sent| crashes(operation, argument, sent));
    let undeclared = obeyed(operation.id).iter();
    let is_array =
        |name: &&&'static str| **name == "password" && matches!(value(name), Some(Value::Array(_)));
    declared
        .filter(crashes)
        .map(|argument| argument.name)
        .next()
        .or_else(|| undeclared.filter(is_array).copied().next())
}

fn crashes(operation: &Operation, argument: &Argument, value: &Value) -> bool {
    let Value::Array(array) = value else { return false };
    match argument.rule {
        Rule::TermList(_) => holds_array(array),
        Rule::EventSlug | Rule::VenueSlug | Rule::OrganizerSlug => !array.is_empty(),
        Rule::Anything if operation.id.route == Route::Index => argument.name == "namespace",
        // Terms and costs of an event are read one by one, unchecked until then.
        Rule::Anything if operation.id.kind() == Some(Kind::Event) && operation.is_write() => {
            matches!(argument.name, "categories" | "tags" | "cost") && holds_array(array)
        }
        _ => false,
    }
}

fn holds_array(array: &PhpArray) -> bool {
    array.values().any(|value| matches!(value, Value::Array(_)))
}
