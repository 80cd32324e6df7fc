//! Venues and organizers in the body of an event (backend.md section 7).

use super::list::{every, split_at_commas};
use super::scalar::{as_php_text, is_numeric_value, numeric_id, record_id};
use crate::contract::{Action, Kind, Operation, RECORD_NUMBER, Route, Rule, table};
use crate::wordpress::value::{PhpArray, Value, Verdict};

/// Judges a member of a record by its own rule.
type JudgeMember<'a> = &'a dyn Fn(Rule, &Value) -> Verdict;

/// Judges the `venue` or `organizer` of an event: ids, a record to create, or an empty value.
pub(super) fn judge_entry(kind: Kind, value: &Value, judge: JudgeMember<'_>) -> Verdict {
    if value.is_empty() {
        return Verdict::Admit;
    }
    let Value::Array(array) = value else {
        let text = as_php_text(value);
        return every(
            split_at_commas(&text)
                .into_iter()
                .map(|part| numeric_id(&Value::text(part))),
        );
    };
    if array.values().all(Value::is_empty) {
        return Verdict::Admit;
    }
    if is_record(array) {
        return record(kind, array, judge);
    }
    every(array.values().map(|entry| list_entry(kind, entry, judge)))
}

/// Judges an element of a list: a number or a record. Any other element is refused.
fn list_entry(kind: Kind, entry: &Value, judge: JudgeMember<'_>) -> Verdict {
    match entry {
        Value::Array(array) => record(kind, array, judge),
        scalar if is_numeric_value(scalar) => numeric_id(scalar),
        _ => Verdict::Reject,
    }
}

/// Judges a record. If it has an `id`, the record with that id is meant; otherwise the plugin creates one,
/// and the rules of the kind's create operation apply.
fn record(kind: Kind, array: &PhpArray, judge: JudgeMember<'_>) -> Verdict {
    if let Some(known) = array.get(RECORD_NUMBER).filter(|known| !known.is_empty()) {
        return record_id(known);
    }
    if !is_record(array) {
        return Verdict::Reject;
    }
    every(
        created(kind)
            .arguments
            .iter()
            .map(|argument| match array.get(argument.name) {
                None | Some(Value::Null) if argument.is_required => Verdict::Reject,
                None | Some(Value::Null) => Verdict::Admit,
                Some(value) => judge(argument.rule, value),
            }),
    )
}

/// All members with this name, in those records of a value that the plugin would create.
///
/// The plugin takes every object inside an organizer's for a record, whatever its key, and checks its members
/// before it refuses the whole. Therefore records are searched at every depth.
pub(in crate::call) fn members<'a>(value: &'a Value, name: &str) -> Vec<&'a Value> {
    let Value::Array(array) = value else {
        return Vec::new();
    };
    let is_known = array
        .get(RECORD_NUMBER)
        .is_some_and(|id| !id.is_empty() && !matches!(id, Value::Array(_)));
    let own = array.get(name).filter(|_| !is_known);
    let inner = array.values().flat_map(|inner| members(inner, name));
    own.into_iter().chain(inner).collect()
}

/// The operation that creates a record of a kind: its arguments are the members of such a record.
pub(in crate::call) fn created(kind: Kind) -> &'static Operation {
    let mut operations = table().on_route(Route::Collection(kind));
    operations
        .find(|operation| operation.id.action == Action::Create)
        .expect("every kind can be created")
}

/// Returns true unless PHP sees a list, with keys 0, 1, 2, …. PHP sees `{"0": 7}` as a list.
pub(in crate::call) fn is_record(array: &PhpArray) -> bool {
    !array.is_sequential()
}
